"""The two formulas of each pair of conventions, symbols coloured by role; no words of any language."""

import math

from model.same_maths import Numbers
from ui.formulas import lines, number
from viz.theme import Theme


def both(name: str, numbers: Numbers, theme: Theme) -> str:
    """The first convention's formula over the second's."""
    return lines([one.format(**_symbols(numbers, theme)) for one in FORMULAS[name]])


def cell(first: float, second: float, place: tuple[int, int]) -> str:
    """The two numbers of the cell in which the tables differ most, and their difference where both are numbers."""
    row, column = place
    apart = float(abs(first - second)) if math.isfinite(first) and math.isfinite(second) else math.inf
    told = [rf"{name}_{{{row},{column}}} = {number(value)}" for name, value in (("A", first), ("B", second))]
    return lines([*told, f"|A - B| = {number(apart)}"] if math.isfinite(apart) else told)


def _symbols(numbers: Numbers, theme: Theme) -> dict[str, str]:
    config = numbers.config
    base, turning = numbers.turning
    toned = {
        letter: rf"{{\textcolor{{{theme.text[role]}}}{{{letter}}}}}"
        for letter, role in {"q": "query", "k": "key", "v": "value", "x": "residual", "p": "position"}.items()
    }
    return toned | {
        "i": rf"{{\textcolor{{{theme.text['query']}}}{{i}}}}",
        "j": rf"{{\textcolor{{{theme.text['key']}}}{{j}}}}",
        "d_head": str(config.d_head),
        "d_model": str(config.d_model),
        "heads": str(config.heads),
        "kv_heads": str(config.kv_heads if config.kv_heads < config.heads else "g"),
        "half": str(turning // 2),
        "base": f"{base:g}",
        "r": str(turning),
        "layer": str(numbers.layer),
        "head": str(numbers.head),
    }


TURN = r"(a\cos\varphi - b\sin\varphi,\; a\sin\varphi + b\cos\varphi),\quad \varphi = {p}\cdot {base}^{{-2m/{r}}}"
FORMULAS: dict[str, tuple[str, str]] = {
    "rope_vectors": (
        r"A = R({q}),\quad (a, b) = ({q}_{{2m}},\, {q}_{{2m+1}}) \to " + TURN,
        r"B = R'({q}_\pi),\quad (a, b) = ({q}_m,\, {q}_{{m+{half}}}),\quad \pi = (0, 2, 4, \dots, 1, 3, 5, \dots)",
    ),
    "rope_scores": (
        r"A = R({q}_{i}) \cdot R({k}_{j}) / \sqrt{{{d_head}}}",
        r"B = R'({q}_{{{i},\pi}}) \cdot R'({k}_{{{j},\pi}}) / \sqrt{{{d_head}}}",
    ),
    "rope_mixed": (
        r"A = R({q}_{i}) \cdot R({k}_{j}) / \sqrt{{{d_head}}}",
        r"B = R'({q}_{i}) \cdot R'({k}_{j}) / \sqrt{{{d_head}}}",
    ),
    "sinusoid_layout": (
        r"A_{{{p}}} = (\sin {p} w_0,\; \cos {p} w_0,\; \sin {p} w_1,\; \cos {p} w_1,\; \dots)",
        r"B_{{{p}}} = (\sin {p} w_0,\; \sin {p} w_1,\; \dots,\; \cos {p} w_0,\; \cos {p} w_1,\; \dots)",
    ),
    "exponent_unpaired": (
        r"A:\quad w_m = 10000^{{-2\lfloor m/2 \rfloor / {d_model}}}",
        r"B:\quad w_m = 10000^{{-m / {d_model}}}",
    ),
    "exponent_doubled": (
        r"A:\quad w_m = 10000^{{-2\lfloor m/2 \rfloor / {d_model}}}",
        r"B:\quad w_m = 10000^{{-2m / {d_model}}}",
    ),
    "alibi_row": (
        r"A = {q}_{i} \cdot {k}_{j} / \sqrt{{{d_head}}} - m_{{{head}}}\,({i} - {j})",
        r"B = {q}_{i} \cdot {k}_{j} / \sqrt{{{d_head}}} + m_{{{head}}}\,{j}",
    ),
    "slopes_here": (
        r"A:\; n = {heads},\; c = 2^{{\lfloor \log_2 n \rfloor}}{{:}}\quad"
        r" 2^{{-8h/c}},\; h = 1 \dots c;\quad 2^{{-4h/c}},\; h = 1, 3, 5 \dots",
        r"B:\quad 2^{{-8h/{heads}}},\; h = 1 \dots {heads}",
    ),
    "slopes_of_twelve": (
        r"A:\; n = 12,\; c = 8{{:}}\quad 2^{{-h}},\; h = 1 \dots 8;\quad 2^{{-h/2}},\; h = 1, 3, 5, 7",
        r"B:\quad 2^{{-8h/12}},\; h = 1 \dots 12",
    ),
    "mask_large": (r"A = -\infty \;\; ({j} > {i})", r"B = -10^9 \;\; ({j} > {i})"),
    "mask_zero": (r"A = -\infty \;\; ({j} > {i})", r"B = 0 \;\; ({j} > {i})"),
    "mask_multiplied": (
        r"A = \mathrm{{softmax}}(s),\quad s_{{{i}{j}}} = -\infty \;\; ({j} > {i})",
        r"B = \mathrm{{softmax}}(s) \cdot [{j} \le {i}]",
    ),
    "mask_rescaled": (
        r"A = \mathrm{{softmax}}(s),\quad s_{{{i}{j}}} = -\infty \;\; ({j} > {i})",
        r"B = \frac{{\mathrm{{softmax}}(s) \cdot [{j} \le {i}]}}"
        r"{{\sum_{j} \mathrm{{softmax}}(s) \cdot [{j} \le {i}]}}",
    ),
    "mask_blind": (
        r"A = \mathrm{{softmax}}(s),\quad s_{{{i}{j}}} = -\infty \;\; ({j} > {i} \;\text{{/}}\; {j} = 0)",
        r"B = \mathrm{{softmax}}(s),\quad s_{{{i}{j}}} = -10^9 \;\; ({j} > {i} \;\text{{/}}\; {j} = 0)",
    ),
    "scale_unrooted": (
        r"A = {q}_{i} \cdot {k}_{j} / \sqrt{{{d_head}}}",
        r"B = {q}_{i} \cdot {k}_{j} / {d_head}",
    ),
    "scale_of_model": (
        r"A = {q}_{i} \cdot {k}_{j} / \sqrt{{{d_head}}}",
        r"B = {q}_{i} \cdot {k}_{j} / \sqrt{{{d_model}}}",
    ),
    "norm_place": (
        r"A:\quad {x}' = {x} + f(N_1({x})),\quad A = {x}' + g(N_2({x}'))",
        r"B:\quad {x}' = N_1({x} + f({x})),\quad B = N_2({x}' + g({x}'))",
    ),
    "fused": (
        r"A = {x}\,W_Q^{{\top}}",
        r"B = \bigl({x}\,[W_Q; W_K; W_V]^{{\top}}\bigr)_{{Q}}",
    ),
    "linear_transposed": (
        r"A = {x}\,W^{{\top}},\quad W \in \mathbb{{R}}^{{\text{{out}} \times \text{{in}}}}",
        r"B = {x}\,W',\quad W' = W^{{\top}} \in \mathbb{{R}}^{{\text{{in}} \times \text{{out}}}}",
    ),
    "linear_forgotten": (r"A = {x}\,W^{{\top}}", r"B = {x}\,W"),
    "grouped": (
        r"A:\quad {q}^{{(h)}} \to {k}^{{(\lfloor h g / {heads} \rfloor)}}",
        r"B:\quad {q}^{{(h)}} \to {k}^{{(h \bmod g)}}",
    ),
    "t5_copied": (
        r"A = {q}_{i} \cdot {k}_{j} / \sqrt{{{d_head}}} + b_{{\beta({i}-{j}),\,h}}",
        r"B = {q}_{i} \cdot {k}_{j} / \sqrt{{{d_head}}} + b^{{({layer})}}_{{\beta({i}-{j}),\,h}},\quad"
        r" b^{{(0)}} = b^{{(1)}} = \dots",
    ),
    "t5_first_layer": (
        r"A = {q}_{i} \cdot {k}_{j} / \sqrt{{{d_head}}} + b_{{\beta({i}-{j}),\,h}}",
        r"B = {q}_{i} \cdot {k}_{j} / \sqrt{{{d_head}}} + [\ell = 0]\; b_{{\beta({i}-{j}),\,h}},\quad \ell = {layer}",
    ),
    "axis": (
        r"A_{{{i}{j}}} = e^{{s_{{{i}{j}}}}} / \textstyle\sum_{j} e^{{s_{{{i}{j}}}}}",
        r"B_{{{i}{j}}} = e^{{s_{{{i}{j}}}}} / \textstyle\sum_{i} e^{{s_{{{i}{j}}}}}",
    ),
    "turned_matrix": (r"A_{{{i}{j}}} = w_{{{i}{j}}}", r"B_{{{i}{j}}} = w_{{{j}{i}}}"),
}
