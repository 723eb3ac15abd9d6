"""SmolLM2-135M as the app runs it, against transformers reading the same file, and against plain NumPy."""

import numpy as np
import pytest
import torch
from transformers import LlamaForCausalLM, modeling_utils

from model import numpy_decoder, zoo
from model.checkpoint import build
from model.config import Config
from model.knobs import Knobs
from model.trace import named_tensors
from tests.model.pretrained import smollm2, smollm2_file

SENTENCE = "The cat sat on the mat because it was tired."
LONG = (
    "In 1905 Einstein, then 26, worked at the patent office in Bern; in free hours he wrote four papers that changed "
    "physics. One asked how light can be both wave and particle, another why pollen dances in still water, and a third "
    "what happens to time when a train goes almost as fast as light does."
)
TEXTS = {"a sentence": SENTENCE, "bytes and code": "print('東 🙂')\n\tx += 12  # naïve", "sixty tokens": LONG}


@pytest.fixture(scope="module")
def model() -> zoo.Model:
    return smollm2()


@pytest.fixture(scope="module")
def oracle() -> LlamaForCausalLM:
    """The same file read by transformers, with explicit attention."""
    path = smollm2_file()
    with pytest.MonkeyPatch.context() as patch:
        # Reading a GGUF file it asks for a package that it needs only to spread a model over several devices.
        patch.setattr(modeling_utils, "is_accelerate_available", lambda *_: True)
        return LlamaForCausalLM.from_pretrained(
            path.parent, gguf_file=path.name, attn_implementation="eager", dtype=torch.float32
        ).eval()


@pytest.fixture(scope="module", params=TEXTS.values(), ids=TEXTS)
def both(request, model, oracle) -> tuple:
    """Our run of a text, and theirs."""
    tokens = model.tokenizer.encode(request.param)
    with torch.inference_mode():
        ids = torch.tensor([[token.id for token in tokens]])
        theirs = oracle(ids, output_attentions=True, output_hidden_states=True)
    return model.run(tokens), theirs


def test_the_long_text_has_at_least_sixty_tokens(model):
    assert len(model.tokenizer.encode(LONG)) >= 60


def test_the_next_token_is_as_likely_as_in_transformers(both):  # B32
    ours, theirs = both
    difference = ours.logits.log_softmax(-1) - theirs.logits[0].log_softmax(-1)
    assert difference.abs().max() <= 1e-3


def test_every_attention_map_is_that_of_transformers(both):
    ours, theirs = both
    assert len(ours.blocks) == len(theirs.attentions) == 30
    for block, attention in zip(ours.blocks, theirs.attentions, strict=True):
        assert block.attention.weights.shape == attention[0].shape
        assert block.attention.weights.shape[0] == 9
        assert (block.attention.weights - attention[0]).abs().max() <= 1e-3


def test_the_residual_stream_is_that_of_transformers(both):
    ours, theirs = both
    inputs = [block.input for block in ours.blocks]
    for residual, state in zip(inputs, theirs.hidden_states, strict=False):
        torch.testing.assert_close(residual, state[0], atol=1e-4 * max(1, state.abs().max().item()), rtol=0)
    torch.testing.assert_close(ours.final_normed, theirs.hidden_states[-1][0], atol=1e-2, rtol=1e-3)


def test_every_tensor_of_the_file_is_used(model, oracle):
    """As many as the file's header counts, and each with the values that transformers reads."""
    ours, theirs = model.decoder.state_dict(), dict(oracle.named_parameters())
    counted = int.from_bytes(smollm2_file().read_bytes()[8:16], "little")
    assert len(ours) == len(theirs) == counted
    for name, tensor in ours.items():
        assert torch.equal(tensor, translated(theirs[their_name(name)], name, model.config)), name


def their_name(name: str) -> str:
    """What transformers calls one of our tensors."""
    for ours, theirs in THEIR_NAMES.items():
        name = name.replace(ours, theirs)
    return "model." + name


def translated(tensor: torch.Tensor, name: str, config: Config) -> torch.Tensor:
    """Rows of queries and keys from half pairs (i, i + d/2), as transformers turns them, to neighbours (2i, 2i + 1)."""
    heads = {"query": config.heads, "key": config.kv_heads}.get(name.split(".")[-2])
    return tensor if heads is None else tensor.unflatten(0, (heads, 2, -1)).transpose(1, 2).flatten(0, 2)


def test_a_known_weight(model):
    """What layer 13, head 8 makes of "it": it looks at "cat", not at "mat"."""
    tokens = model.tokenizer.encode(SENTENCE)
    assert [tokens[place].visible for place in (1, 7)] == ["·cat", "·it"]
    attention = model.run(tokens).blocks[13].attention
    assert attention.raw_scores[8, 7, 1].item() == pytest.approx(50.07, abs=0.01)
    assert attention.weights[8, 7, 1].item() == pytest.approx(0.804, abs=0.001)
    assert attention.weights[8, 7, 1] > attention.weights[8, 7, 5]


def test_rows_put_into_the_order_of_another_rotation_would_be_noticed(model, oracle):
    """Rows in half pairs load without complaint, and the same weight becomes 0.717 (B47)."""
    config, theirs = model.config, dict(oracle.named_parameters())
    weights = {name: theirs[their_name(name)].detach() for name in model.decoder.state_dict()}
    tokens = model.tokenizer.encode(SENTENCE)
    ids = torch.tensor([token.id for token in tokens])
    mistaken = build(config, weights)(ids).blocks[13].attention.weights[8, 7, 1]
    assert mistaken.item() == pytest.approx(0.717, abs=0.001)
    assert abs(model.run(tokens).blocks[13].attention.weights[8, 7, 1] - mistaken) > 0.05


@pytest.mark.parametrize(
    "knobs", [Knobs(), Knobs(causal=False, scale=0.5, temperature=2.0, head_gains=((13, 8, 0.0),))], ids=str
)
def test_every_number_is_that_of_plain_numpy(model, knobs):
    tokens = model.tokenizer.encode(SENTENCE)
    computed = {name: tensor.numpy() for name, tensor in named_tensors(model.run(tokens, knobs))}
    weights = {name: tensor.numpy() for name, tensor in model.decoder.state_dict().items()}
    changed = {"causal": knobs.causal, "scale": knobs.scale, "temperature": knobs.temperature}
    gains = {(layer, head): gain for layer, head, gain in knobs.head_gains}
    expected = numpy_decoder.run(model.config, weights, [token.id for token in tokens], head_gains=gains, **changed)
    assert expected.keys() == computed.keys()
    for name, tensor in expected.items():
        if name == "logits":
            assert np.abs(log_softmax(computed[name]) - log_softmax(tensor)).max() <= 1e-3
        elif name.endswith("attention.weights"):
            assert np.abs(computed[name] - tensor).max() <= 1e-4, name
        else:
            assert difference(computed[name], tensor) <= 1e-4, name


def log_softmax(logits: np.ndarray) -> np.ndarray:
    shifted = logits.astype(np.float64) - logits.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))


def difference(one: np.ndarray, other: np.ndarray) -> float:
    """The largest difference, relative to the largest number, or to 1; the same entries must be −∞."""
    finite = np.isfinite(other)
    assert (finite == np.isfinite(one)).all()
    largest = np.abs(other[finite]).max(initial=1)
    return np.abs(one[finite] - other[finite]).max() / largest


THEIR_NAMES = {
    "embed": "embed_tokens",
    "final_norm": "norm",
    "blocks": "layers",
    "attention_norm": "input_layernorm",
    "feed_forward_norm": "post_attention_layernorm",
    "attention.query": "self_attn.q_proj",
    "attention.key": "self_attn.k_proj",
    "attention.value": "self_attn.v_proj",
    "attention.output": "self_attn.o_proj",
    "feed_forward.gate": "mlp.gate_proj",
    "feed_forward.expand": "mlp.up_proj",
    "feed_forward.contract": "mlp.down_proj",
}
