package offline

// heads are courtesies and other words before a request that ask for nothing.
var heads = []string{
	"please", "pls", "plz", "kindly", "tell me", "hey", "hi", "hello", "ok", "okay", "so", "now", "then", "next", "also", "and", "actually", "well",
	"alright", "great", "cool", "nice", "perfect", "thanks", "thank you", "hmm", "um", "oh", "sorry", "no", "yes", "yeah", "yep", "sure", "good", "right", "wait", "oops", "but", "there",
	"can you", "could you", "would you", "will you", "can u", "could u", "can we", "could we", "would you be so kind as to", "would you be able to", "are you able to", "would you please",
	"i'd like you to", "i would like you to", "i want you to", "i need you to", "i'd like to", "i would like to", "i want to", "i need to", "i'd love to", "i'd love for you to", "i'd love you to", "i wish to", "i'd like for you to", "i have to", "i was hoping you could", "i was wondering if you could", "i wonder if you could", "i'm going to need you to", "i think you should",
	"let's", "lets", "let us", "go ahead and", "just", "quickly", "simply", "go and", "go", "help me", "help me to", "is it possible to", "it would be great if you could", "it would be nice if you could", "you should", "you can", "you could", "we should", "we need to", "try to", "make sure to", "make sure you", "be sure to", "be so kind as to", "feel free to", "do me a favor and", "do me a favour and", "if you can", "if possible", "if you could", "if you don't mind", "when you get a chance", "when you have time",
	"first", "first of all", "firstly", "secondly", "second", "third", "finally", "lastly", "after that", "afterwards", "afterward", "once that's done", "once done", "when done", "when you're done", "in addition", "additionally", "as well", "instead", "assistant", "redline", "on second thought", "never mind", "nevermind", "your task is to", "your job is to", "the task is to", "your task", "task", "do the following", "do these things", "do the following things", "do this", "i need the following", "here is what i need", "here's what i need", "i need you to do the following", "these are the steps", "i need your help to", "i'd appreciate it if you could", "for me", "besides", "lastly", "last", "again", "ah", "anyway", "dear assistant", "plus", "immediately", "carefully", "could you maybe", "could you possibly", "any chance you could", "can you maybe", "can you possibly", "how about you", "why don't you", "you need to", "you must", "in that case", "as a next step", "go through and", "use your tools to", "using your tools", "with your tools", "the following",
}

// tails are the same at the end.
var tails = []string{
	"please", "pls", "plz", "for me", "for us", "thanks", "thank you", "thx", "instead", "now", "asap", "right now", "right away", "immediately", "too", "as well", "again", "if you can", "if you could", "if possible", "if you don't mind",
	"when you get a chance", "when you have time", "would you", "will you", "can you", "could you", "ok", "okay", "thanks a lot", "thank you very much", "thank you so much", "many thanks", "cheers", "real quick", "quickly", "at once", "then", "and that's it", "that would be great", "that'd be great", "that would be nice", "there's a good fellow", "in advance",
	"i don't need it anymore", "i don't need them anymore", "i don't need it any more", "i don't need them any more", "i no longer need it", "i no longer need them", "we don't need it anymore", "we don't need them anymore", "they are no longer needed", "it is no longer needed", "it's no longer needed", "they're no longer needed", "i don't need that anymore", "i don't need those anymore", "it's outdated", "they're outdated", "it is outdated", "they are outdated", "it's not needed anymore", "i don't want it anymore", "i don't want them anymore", "we no longer need it", "we no longer need them", "it's a mess", "they're a mess", "somehow", "from now on", "my friend", "buddy",
}

// harmlessSentences restrict nothing that was asked for.
var harmlessSentences = []string{
	"don't change anything else", "do not change anything else", "don't touch anything else", "do not touch anything else", "don't modify anything else", "do not modify anything else",
	"leave everything else", "leave the rest", "keep the rest", "keep everything else", "nothing else", "don't ask", "do not ask", "no need to ask", "don't worry",
}
