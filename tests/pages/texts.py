"""Texts that a student might type, and that have broken such pages elsewhere."""

TEXTS = {
    "blanks": "   ",
    "newline": "\n",
    "one token": "a",
    "repeated": "the cat the cat the cat",
    "digits": "1 2 10 1E1 007",
    "dates": "2026-11-30 12:30 2026-11-30",
    "markup": "a<b<c <b>bold</b> <img src=x onerror=alert(1)> <s>",
    "formula": "costs $5 and $6, $x$ \\frac{1}{2} {braces} {0}",
    "markdown": "*x* _y_ [z](http://a.b) :red[q] `w` # h",
    "special token": "<|im_start|>user<|endoftext|>",
    "emoji": "I 🙂 you 👨‍👩‍👧 🇨🇳",
    "chinese": "小明拿起苹果，因为他饿了。",
    "arabic": "שלום world مرحبا 123",
    "controls": "tab\tnul\x00zero\u200bwidth\ufffd",
    "long word": "a" * 200,
}
TOO_LONG = "word and " * 150
EMPTY = ""
