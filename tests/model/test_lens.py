"""The overview's questions: residual norms, next tokens and the logit lens, against NumPy and the whole trace."""

import numpy as np
import pytest
import torch

from model import lens, numpy_decoder
from model.config import Config
from model.decoder import Decoder

TEXT = "The cat sat on the mat because it was tired."


def in_numpy(config: Config, decoder: Decoder, ids) -> dict[str, np.ndarray]:
    """NumPy's run, with what the model would say after each block: `said` (layers, seq, vocab)."""
    weights = {name: tensor.numpy() for name, tensor in decoder.state_dict().items()}
    proof = numpy_decoder.run(config, weights, ids.numpy())
    table = weights["embed.weight" if config.tied else "unembed.weight"]
    outputs = [proof[f"blocks.{layer}.output"] for layer in range(config.layers)]
    normed = numpy_decoder.norm(config, weights, "final_norm", np.stack(outputs))
    proof["said"] = numpy_decoder.softmax(numpy_decoder.unembed(normed, table))
    return proof


@pytest.fixture
def run(random_decoder, sentence):
    """`run(config)`: a random decoder, its light run of nine tokens, and NumPy's run of the same."""

    def make(config: Config):
        decoder, ids = random_decoder(config), sentence(9)
        with torch.inference_mode():
            kept = decoder.light(ids)
        return decoder, kept, in_numpy(config, decoder, ids)

    return make


def test_the_next_tokens_are_those_of_numpys_logits(config, run):
    decoder, kept, proof = run(config)
    found = lens.answers(decoder, kept, 3)
    probabilities = numpy_decoder.softmax(proof["logits"])
    assert np.allclose(found.probabilities.numpy(), -np.sort(-probabilities)[:, :3], atol=1e-5)
    chosen = np.take_along_axis(probabilities, found.ids.numpy(), axis=-1)
    assert np.allclose(found.probabilities.numpy(), chosen, atol=1e-5)


def test_a_place_predicts_what_the_text_up_to_and_with_it_predicts(scheme, tiny, random_decoder, sentence):  # B27
    decoder, ids = random_decoder(tiny(position=scheme)), sentence(9)
    found = lens.answers(decoder, decoder.light(ids), 3)
    assert found.ids.shape == (9, 3)
    for place in range(9):
        upto = lens.answers(decoder, decoder.light(ids[: place + 1]), 3)
        assert torch.equal(found.ids[place], upto.ids[-1])
        assert torch.allclose(found.probabilities[place], upto.probabilities[-1], atol=1e-5)


def test_the_norms_are_the_lengths_of_numpys_residual_stream_after_each_block(config, run):
    _, kept, proof = run(config)
    found = lens.norms(kept)
    assert found.shape == (9, config.layers)
    for layer in range(config.layers):
        lengths = np.sqrt((proof[f"blocks.{layer}.output"] ** 2).sum(axis=-1))
        assert np.allclose(found[:, layer].numpy(), lengths, rtol=1e-4)


def test_the_lens_is_numpys_readout_of_every_block_and_ends_with_the_models_own_probability(config, run):
    decoder, kept, proof = run(config)
    found = lens.answers(decoder, kept, 1)
    shares = lens.lens(decoder, kept, range(9), found.ids[:, 0])
    for lane in range(9):
        assert np.allclose(shares[lane].numpy(), proof["said"][:, lane, found.ids[lane, 0]], atol=1e-5)
    assert torch.allclose(shares[:, -1], found.probabilities[:, 0], atol=1e-6)


def test_lanes_that_are_not_asked_for_stay_uncomputed_and_the_others_are_those_of_all(tiny, run):
    decoder, kept, _ = run(tiny(layers=3))
    finals = lens.answers(decoder, kept, 1).ids[:, 0]
    every = lens.lens(decoder, kept, range(9), finals)
    some = lens.lens(decoder, kept, [7, 2], finals)
    for lane in range(9):
        if lane in (2, 7):
            assert torch.allclose(some[lane], every[lane], atol=1e-6)
        else:
            assert some[lane].isnan().all()


def test_how_many_rows_are_computed_at_a_time_changes_nothing(tiny, run, monkeypatch):
    decoder, kept, _ = run(tiny())
    results = []
    for rows in (1, 4, 1000):
        monkeypatch.setattr(lens, "ROWS", rows)
        found = lens.answers(decoder, kept, 2)
        results.append((found.ids, found.probabilities, lens.lens(decoder, kept, range(9), found.ids[:, 0])))
    for ids, probabilities, shares in results[1:]:
        assert torch.equal(ids, results[0][0])
        assert torch.allclose(probabilities, results[0][1], atol=1e-6)
        assert torch.allclose(shares, results[0][2], atol=1e-6)


def test_the_colour_scales_end_where_the_tables_say(scheme, tiny, random_decoder):
    decoder = random_decoder(tiny(position=scheme))
    ends = lens.reach(decoder)
    assert ends["embedding"] == pytest.approx(3 * decoder.embed.weight.numpy().std(ddof=1), rel=1e-5)
    if scheme == "learned":
        assert ends["position"] == pytest.approx(3 * decoder.position.weight.numpy().std(ddof=1), rel=1e-5)
    else:
        assert ends["position"] == 1.0


def test_smollm2_says_what_numpy_says_at_every_depth(smollm2):
    tokens = smollm2.tokenizer.encode(TEXT)
    kept = smollm2.begin(tokens).kept
    proof = in_numpy(smollm2.config, smollm2.decoder, torch.tensor([token.id for token in tokens]))
    found = lens.answers(smollm2.decoder, kept, 3)
    final = numpy_decoder.softmax(proof["logits"])
    assert np.array_equal(found.ids.numpy(), np.argsort(-final)[:, :3])
    assert np.allclose(np.log(found.probabilities.numpy()), np.log(-np.sort(-final)[:, :3]), atol=1e-3)

    shares = lens.lens(smollm2.decoder, kept, range(len(tokens)), found.ids[:, 0])
    for lane in range(len(tokens)):
        assert np.allclose(shares[lane].numpy(), proof["said"][:, lane, found.ids[lane, 0]], atol=1e-3)

    lengths = np.stack(
        [np.linalg.norm(proof[f"blocks.{layer}.output"], axis=-1) for layer in range(smollm2.config.layers)], axis=-1
    )
    assert np.allclose(lens.norms(kept).numpy(), lengths, rtol=1e-3)
