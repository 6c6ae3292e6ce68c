package sqlite

import (
	"fmt"
	"runtime"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// How bytes are stored; the numbers are in the database.
const (
	raw    = 0
	zipped = 1 // zstd
)

const (
	// maxContent keeps a row under SQLite's limit of 1e9 bytes.
	maxContent = 1_000_000_000 - 64<<10
	// minPack is the length under which compressing does not pay.
	minPack = 64
)

// packed is content as it is stored.
type packed struct {
	size  int
	codec int
	data  []byte
}

// The encoder and the decoder keep one state per core between calls. The
// checksum of zstd is left out: contents are checked against their hash.
var encoder = sync.OnceValue(func() *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithAllLitEntropyCompression(true),
		zstd.WithEncoderCRC(false), zstd.WithEncoderConcurrency(runtime.GOMAXPROCS(0)))
	if err != nil {
		panic(err) // the options are ours
	}
	return e
})

var decoder = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecodeAllCapLimit(true),
		zstd.WithDecoderMaxMemory(maxContent))
	if err != nil {
		panic(err)
	}
	return d
})

// pack compresses content unless that makes it no smaller. The result may share
// its bytes.
func pack(content []byte) packed {
	if len(content) >= minPack {
		if data := encoder().EncodeAll(content, make([]byte, 0, len(content))); len(data) < len(content) {
			return packed{len(content), zipped, data}
		}
	}
	return packed{len(content), raw, content}
}

// unpack returns the content in bytes of its own. It never makes more than
// p.size bytes, whatever p.data says.
func (p packed) unpack() ([]byte, error) {
	if p.size < 0 || p.size > maxContent {
		return nil, &damage{fmt.Sprintf("a content has the impossible size %d", p.size)}
	}
	switch p.codec {
	case raw:
		if len(p.data) != p.size {
			return nil, &damage{fmt.Sprintf("a content has %d bytes instead of %d", len(p.data), p.size)}
		}
		return append(make([]byte, 0, p.size), p.data...), nil
	case zipped:
		content, err := decoder().DecodeAll(p.data, make([]byte, 0, p.size))
		if err != nil || len(content) != p.size {
			return nil, &damage{fmt.Sprintf("a content of %d bytes cannot be unpacked: %v", p.size, err)}
		}
		return content, nil
	}
	return nil, &damage{fmt.Sprintf("a content is stored in an unknown way, %d", p.codec)}
}
