package session

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"redline/agent"
	"redline/internal/wire"
	"redline/llm"
)

// The bounds of attachments.
const (
	maxAttachments   = 10
	maxAttachedText  = 256 << 10 // bytes
	maxAttachedImage = 5 << 20   // bytes; also of a PDF
)

const pdf = "application/pdf"

// pictures are the images that models take, by what their files begin with.
var pictures = map[string]string{
	"image/png":  "\x89PNG\r\n\x1a\n",
	"image/jpeg": "\xff\xd8\xff",
	"image/gif":  "GIF8",
	"image/webp": "RIFF",
}

// CheckAttachments refuses attachments that no model could be shown.
func CheckAttachments(files []wire.Attachment) error {
	if len(files) > maxAttachments {
		return wire.Errorf(wire.CodeInvalid, "there are %d attachments, and at most %d are taken: send the others with another message", len(files), maxAttachments)
	}
	for i, f := range files {
		if wrong := unfit(f); wrong != "" {
			return wire.Errorf(wire.CodeInvalid, "%s cannot be attached: %s", attachmentName(f, i), wrong).With("attachment", f.Name)
		}
	}
	return nil
}

// unfit says what is wrong with an attachment, or "".
func unfit(f wire.Attachment) string {
	kind := mediaType(f)
	begin, picture := pictures[kind]
	if kind == pdf {
		begin = "%PDF-"
	}
	switch {
	case len(f.Data) == 0:
		return "it is empty"
	case begin != "" && len(f.Data) > maxAttachedImage:
		return fmt.Sprintf("it is larger than %d MiB", maxAttachedImage>>20)
	case !bytes.HasPrefix(f.Data, []byte(begin)):
		return "it is no " + kind
	case begin != "":
		return ""
	case strings.HasPrefix(kind, "image/") && !picture && kind != "image/svg+xml":
		return "models take images as png, jpeg, gif and webp"
	case !utf8.Valid(f.Data) || bytes.IndexByte(f.Data, 0) >= 0:
		return "it is neither an image nor text in UTF-8; convert it first"
	case len(f.Data) > maxAttachedText:
		return fmt.Sprintf("it has more than %d KiB of text; put it into the folder, where it can be read piece by piece", maxAttachedText>>10)
	}
	return ""
}

// mediaType is the type of an attachment without its parameters.
func mediaType(f wire.Attachment) string {
	kind, _, _ := strings.Cut(f.Type, ";")
	return strings.ToLower(strings.TrimSpace(kind))
}

// attachmentName is how an attachment is called: one without a name by its number.
func attachmentName(f wire.Attachment, i int) string {
	if name := strings.TrimSpace(f.Name); name != "" {
		return display(name)
	}
	return fmt.Sprintf("attachment %d", i+1)
}

// attach makes attachments part of a message to a model: text becomes data with its
// name, behind the words of the user. It refuses what the model does not take.
func attach(files []wire.Attachment, model llm.Model) ([]agent.Attachment, error) {
	if err := CheckAttachments(files); err != nil {
		return nil, err
	}
	var list []agent.Attachment
	for i, f := range files {
		kind := mediaType(f)
		a := agent.Attachment{
			ID: fmt.Sprintf("attachment_%d", i+1), Type: agent.AttachDocument, FileName: inert(attachmentName(f, i)),
			MIMEType: kind, Size: int64(len(f.Data)), Content: slices.Clone(f.Data),
		}
		_, picture := pictures[kind]
		switch {
		case picture && !model.Can.Images:
			return nil, wire.Errorf(wire.CodeInvalid, "%s is an image, which the model %s does not take: choose another model, or leave it out", a.FileName, model.Name()).With("attachment", f.Name)
		case kind == pdf && !model.Can.Documents:
			return nil, wire.Errorf(wire.CodeInvalid, "%s is a PDF, which the model %s does not take: choose another model, or attach its text", a.FileName, model.Name()).With("attachment", f.Name)
		case picture:
			a.Type = agent.AttachImage
		case kind != pdf:
			a.ExtractedText = inert(strings.TrimPrefix(string(f.Data), "\ufeff"))
		}
		list = append(list, a)
	}
	return list, nil
}
