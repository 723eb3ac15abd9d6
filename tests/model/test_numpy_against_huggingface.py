"""The NumPy decoder against two small random Hugging Face models, which share neither its code nor its authors."""

import numpy as np
import pytest
import torch
import transformers

from model import numpy_decoder as decoder
from model.config import Config

IDS = np.array([[3, 1, 4, 1, 5, 9, 2, 6, 5], [2, 7, 1, 8, 2, 8, 1, 8, 2]])
GPT2 = Config(
    vocab=13,
    d_model=16,
    layers=3,
    heads=4,
    d_ff=64,
    context=32,
    norm_epsilon=1e-3,
    feed_forward="gelu_tanh",
    position="learned",
)
QWEN2 = Config(
    vocab=13, d_model=24, layers=3, heads=4, kv_heads=2, d_ff=40, context=32, norm="rms", norm_epsilon=1e-3,
    feed_forward="swiglu", rotary_base=100.0, biases="qkv", tied=False,
)  # fmt: skip

Weights = dict[str, np.ndarray]


def random_model(kind: type, config: transformers.PretrainedConfig) -> torch.nn.Module:
    """A model in float64 whose biases and norms are random too."""
    torch.manual_seed(0)
    model = kind(config).double().eval()
    for parameter in model.parameters():
        parameter.data.add_(0.3 * torch.randn_like(parameter))
    return model


def gpt2() -> torch.nn.Module:
    sizes = {"vocab_size": 13, "n_positions": 32, "n_embd": 16, "n_layer": 3, "n_head": 4}
    ends = {"bos_token_id": 0, "eos_token_id": 0}
    config = transformers.GPT2Config(**sizes, **ends, layer_norm_epsilon=1e-3, attn_implementation="eager")
    return random_model(transformers.GPT2LMHeadModel, config)


def qwen2() -> torch.nn.Module:
    sizes = {"vocab_size": 13, "hidden_size": 24, "intermediate_size": 40, "num_hidden_layers": 3}
    heads = {"num_attention_heads": 4, "num_key_value_heads": 2, "tie_word_embeddings": False}
    rotation = {"rope_parameters": {"rope_type": "default", "rope_theta": 100.0}}
    config = transformers.Qwen2Config(**sizes, **heads, **rotation, rms_norm_eps=1e-3, attn_implementation="eager")
    return random_model(transformers.Qwen2ForCausalLM, config)


def renamed(state: Weights, names: dict[str, str]) -> Weights:
    """The state with each foreign piece of a name replaced by ours, in the order of the table."""
    weights = {}
    for name, tensor in state.items():
        for foreign, own in names.items():
            name = name.replace(foreign, own)
        weights[name] = tensor
    return weights


def from_gpt2(state: Weights) -> Weights:
    """GPT-2 stores its linear weights as (in, out), and query, key and value as one."""
    names = {"transformer.": "", "wte": "embed", "wpe": "position", "ln_f": "final_norm", "h.": "blocks."}
    names |= {"ln_1": "attention_norm", "ln_2": "feed_forward_norm", "attn.c_attn": "attention.all"}
    names |= {
        "attn.c_proj": "attention.output",
        "mlp.c_fc": "feed_forward.expand",
        "mlp.c_proj": "feed_forward.contract",
    }
    weights = {}
    for name, tensor in renamed(state, names).items():
        is_linear = ".attention." in name or ".feed_forward." in name
        tensor = tensor.T if is_linear else tensor
        parts = np.split(tensor, 3) if ".all." in name else []
        weights |= {name.replace("all", part): own for part, own in zip(("query", "key", "value"), parts, strict=False)}
        weights |= {} if parts else {name: tensor}
    return weights


def from_qwen2(state: Weights) -> Weights:
    """Hugging Face pairs dimension i of a head with i + d_head/2; we pair neighbours."""
    names = {"model.": "", "embed_tokens": "embed", "lm_head": "unembed", "layers": "blocks", "self_attn": "attention"}
    names |= {
        "input_layernorm": "attention_norm",
        "post_attention_layernorm": "feed_forward_norm",
        "mlp": "feed_forward",
    }
    names |= {"q_proj": "query", "k_proj": "key", "v_proj": "value", "o_proj": "output"}
    names |= {"gate_proj": "gate", "up_proj": "expand", "down_proj": "contract"}
    weights = renamed(state, names)
    weights["final_norm.weight"] = weights.pop("norm.weight")
    for name, tensor in weights.items():
        if ".query." in name or ".key." in name:
            halves = tensor.reshape(-1, 2, QWEN2.d_head // 2, *tensor.shape[1:])
            weights[name] = halves.swapaxes(1, 2).reshape(tensor.shape)
    return weights


@pytest.mark.parametrize(
    ("config", "build", "translate", "tolerance"),
    [(GPT2, gpt2, from_gpt2, 1e-12), (QWEN2, qwen2, from_qwen2, 2e-5)],  # theirs turns and norms in float32
    ids=["gpt2", "qwen2"],
)
def test_every_stage_agrees_with_hugging_face(config, build, translate, tolerance):
    model = build()
    weights = translate({name: tensor.numpy() for name, tensor in model.state_dict().items()})
    mine = decoder.run(config, weights, IDS)
    with torch.inference_mode():
        theirs = model(torch.tensor(IDS), output_attentions=True, output_hidden_states=True)
    pairs = {"logits": theirs.logits, "final_normed": theirs.hidden_states[-1]}
    pairs |= {f"blocks.{layer}.input": theirs.hidden_states[layer] for layer in range(config.layers)}
    pairs |= {f"blocks.{layer}.attention.weights": theirs.attentions[layer] for layer in range(config.layers)}
    for name, tensor in pairs.items():
        np.testing.assert_allclose(mine[name], tensor.numpy(), rtol=0, atol=tolerance, err_msg=name)
