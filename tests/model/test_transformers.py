"""Tiny random models of Hugging Face's transformers, an oracle written by others, with their weights copied over.

Llama and Qwen2 pair the halves of a head for RoPE, so the rows of their queries and keys are put side by side here;
GPT-2 holds its maps as (in, out).
"""

import os
from dataclasses import replace

os.environ["HF_HUB_OFFLINE"] = "1"

import pytest
import torch
from torch import Tensor
from transformers import (
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedModel,
    Qwen2Config,
    Qwen2ForCausalLM,
)

from model.config import Config
from model.decoder import Decoder

Case = tuple[PreTrainedModel, Decoder]


def enlarge(model: PreTrainedModel) -> dict[str, Tensor]:
    """Weights large enough to matter, in place of the usual tiny ones; returned by name."""
    for name, parameter in model.named_parameters():
        parameter.requires_grad_(False)
        embedding = "embed" in name or ".wte" in name
        wide = 2.0 * parameter.shape[-1] ** -0.5
        spread = 0.4 if parameter.ndim == 1 else 1.0 if embedding else wide
        parameter.add_(spread * torch.randn(parameter.shape))
    return model.eval().state_dict()


def side_by_side(rows: Tensor, heads: int) -> Tensor:
    """Rows (or biases) of queries or keys: halves (i, i + width/2) become neighbours (2i, 2i+1)."""
    return rows.unflatten(0, (heads, 2, -1)).transpose(1, 2).flatten(0, 2)


LLAMA = {
    "attention_norm": "input_layernorm",
    "attention.query": "self_attn.q_proj",
    "attention.key": "self_attn.k_proj",
    "attention.value": "self_attn.v_proj",
    "attention.output": "self_attn.o_proj",
    "feed_forward_norm": "post_attention_layernorm",
    "feed_forward.gate": "mlp.gate_proj",
    "feed_forward.expand": "mlp.up_proj",
    "feed_forward.contract": "mlp.down_proj",
}
GPT2 = {
    "attention_norm": "ln_1",
    "attention.output": "attn.c_proj",
    "feed_forward_norm": "ln_2",
    "feed_forward.expand": "mlp.c_fc",
    "feed_forward.contract": "mlp.c_proj",
}
SHAPE = Config(vocab=31, d_model=32, layers=2, heads=4, d_ff=48, context=64)


def llama_like(kind: type, settings: type, ours: Config) -> Case:
    """A Llama or Qwen2 of the shape of our config, and our decoder with its weights."""
    wide = {} if kind is Qwen2ForCausalLM else {"head_dim": ours.d_head}
    theirs = kind(
        settings(
            vocab_size=ours.vocab,
            hidden_size=ours.d_model,
            intermediate_size=ours.d_ff,
            num_hidden_layers=ours.layers,
            num_attention_heads=ours.heads,
            num_key_value_heads=ours.kv_heads,
            tie_word_embeddings=ours.tied,
            rms_norm_eps=ours.norm_epsilon,
            attn_implementation="eager",
            **wide,
        )
    )
    weights = enlarge(theirs)
    names = {"embed": "model.embed_tokens", "final_norm": "model.norm", "unembed": "lm_head"}
    for layer in range(ours.layers):
        names |= {f"blocks.{layer}.{name}": f"model.layers.{layer}.{foreign}" for name, foreign in LLAMA.items()}
    decoder = Decoder(ours)
    state = {}
    for name in decoder.state_dict():
        module, kind_of_weight = name.rsplit(".", 1)
        state[name] = weights[f"{names[module]}.{kind_of_weight}"]
        if module.endswith(("attention.query", "attention.key")):
            state[name] = side_by_side(state[name], ours.heads if module.endswith("query") else ours.kv_heads)
    decoder.load_state_dict(state)
    return theirs, decoder


def gpt2(ours: Config) -> Case:
    """A GPT-2 of the shape of our config, and our decoder with its weights."""
    theirs = GPT2LMHeadModel(
        GPT2Config(
            vocab_size=ours.vocab,
            n_embd=ours.d_model,
            n_inner=ours.d_ff,
            n_layer=ours.layers,
            n_head=ours.heads,
            n_positions=ours.context,
            attn_implementation="eager",
        )
    )
    weights = enlarge(theirs)
    state = {"embed.weight": weights["transformer.wte.weight"], "position.weight": weights["transformer.wpe.weight"]}
    for kind in ("weight", "bias"):
        state[f"final_norm.{kind}"] = weights[f"transformer.ln_f.{kind}"]
        for layer in range(ours.layers):
            block = f"transformer.h.{layer}"
            for name, foreign in GPT2.items():
                state[f"blocks.{layer}.{name}.{kind}"] = weights[f"{block}.{foreign}.{kind}"].T
            joined = weights[f"{block}.attn.c_attn.{kind}"].T.chunk(3)
            for part, rows in zip(("query", "key", "value"), joined, strict=True):
                state[f"blocks.{layer}.attention.{part}.{kind}"] = rows
    decoder = Decoder(ours)
    decoder.load_state_dict(state)
    return theirs, decoder


GROUPED = replace(SHAPE, kv_heads=2, norm="rms", feed_forward="swiglu", biases="none")
CASES = {
    "llama": lambda: llama_like(LlamaForCausalLM, LlamaConfig, replace(GROUPED, d_head=12, rotary_dim=12, tied=False)),
    "llama, tied": lambda: llama_like(LlamaForCausalLM, LlamaConfig, GROUPED),
    "qwen2": lambda: llama_like(Qwen2ForCausalLM, Qwen2Config, replace(GROUPED, biases="qkv")),
    "gpt-2": lambda: gpt2(replace(SHAPE, feed_forward="gelu_tanh", position="learned")),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", CASES)
@torch.inference_mode()
def test_log_probabilities_and_attention_maps_equal_those_of_transformers(case):
    theirs, ours = CASES[case]()
    ids = torch.randint(31, (3, 50))
    wanted, got = theirs(ids, output_attentions=True), ours(ids)
    difference = torch.log_softmax(got.logits, dim=-1) - torch.log_softmax(wanted.logits, dim=-1)
    assert difference.abs().max() < 1e-4
    for block, weights in zip(got.blocks, wanted.attentions, strict=True):
        assert (block.attention.weights - weights).abs().max() < 1e-5
        assert weights.max(dim=-1).values.mean() > 0.15  # sharp enough for a fault to show
