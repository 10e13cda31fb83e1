"""Rankings in the loops of Hugging Face, Sentence Transformers and Lightning, on small networks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gainful
from gainful.errors import ParameterError
from gainful.integrations import lightning, sentence_transformers, transformers
from requirements import need

# Their imports and PyTorch warn about much that is not ours.
pytestmark = [pytest.mark.peer, pytest.mark.filterwarnings("ignore")]

RANDOM = np.random.default_rng(4)
QUERIES = np.repeat(np.arange(8), 6)
FEATURES = RANDOM.normal(size=(48, 3)).astype("float32")
LABELS = (FEATURES[:, 0] > 0).astype("float32")


def measure(scores: Any) -> gainful.Evaluation:
    """Evaluate scores of the items as `gainful.evaluate` does."""
    qrels: dict[str, dict[str, float]] = {}
    run: dict[str, dict[str, float]] = {}
    for item, (query, label, score) in enumerate(zip(QUERIES, LABELS, scores, strict=True)):
        qrels.setdefault(str(query), {})[str(item)] = float(label)
        run.setdefault(str(query), {})[str(item)] = float(score)
    return gainful.evaluate(qrels, run, ["nDCG@3", "RR"])


def test_the_trainer(tmp_path: Path) -> None:
    torch = need("torch")
    tool = need("transformers")

    class Model(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = torch.nn.Linear(3, 1)

        def forward(self, features: Any, labels: Any) -> dict[str, Any]:
            logits = self.layer(features)
            loss = torch.nn.functional.binary_cross_entropy_with_logits(logits[:, 0], labels)
            return {"loss": loss, "logits": logits}

    model = Model()
    data = [
        {"features": torch.tensor(row), "labels": label}
        for row, label in zip(FEATURES, LABELS, strict=True)
    ]
    trainer = tool.Trainer(
        model=model,
        args=tool.TrainingArguments(
            str(tmp_path),
            eval_strategy="epoch",
            save_strategy="epoch",
            num_train_epochs=2,
            per_device_eval_batch_size=5,
            load_best_model_at_end=True,
            metric_for_best_model="ndcg_cut_3",
            report_to=[],
            use_cpu=True,
            disable_tqdm=True,
        ),
        train_dataset=data,
        eval_dataset=data,
        compute_metrics=transformers.make_compute_metrics(QUERIES, ["nDCG@3", "RR"]),
    )
    trainer.train()
    found = trainer.evaluate()
    with torch.no_grad():
        expected = measure(model.layer(torch.tensor(FEATURES))[:, 0].numpy())
    own = expected.summary("nDCG@3")
    assert found["eval_ndcg_cut_3"] == pytest.approx(own.mean, rel=1e-12)
    assert found["eval_ndcg_cut_3_low"] == pytest.approx(own.interval.low, rel=1e-12)
    assert found["eval_recip_rank"] == pytest.approx(expected.mean("RR"), rel=1e-12)
    assert trainer.state.best_metric == found["eval_ndcg_cut_3"]


def test_sentence_transformers(tmp_path: Path) -> None:
    torch = need("torch")
    tool = need("sentence_transformers")
    from sentence_transformers.sentence_transformer.evaluation import (
        InformationRetrievalEvaluator,
    )

    class Model:
        """A model of words: what the evaluator calls of a `SentenceTransformer`."""

        similarity_fn_name = "cosine"
        similarity = staticmethod(tool.util.cos_sim)
        model_card_data: Any = None

        def encode(self, texts: list[str], **options: Any) -> Any:
            vectors = torch.zeros(len(texts), 16)
            for row, text in enumerate(texts):
                for word in text.split():
                    vectors[row, int(word[1:]) % 16] += 1
            return vectors

        encode_query = encode_document = encode

    def text(words: int) -> str:
        return " ".join(f"w{word}" for word in RANDOM.integers(0, 16, words))

    queries = {f"q{n}": text(2) for n in range(20)}
    corpus = {f"d{n}": text(4) for n in range(60)}
    relevant = {query: {f"d{n}" for n in RANDOM.integers(0, 60, 4)} for query in queries}
    judged = {query: {**dict.fromkeys(own, 2), "d0": 0} for query, own in relevant.items()}
    for query in relevant:
        relevant[query] -= {"d0"}
    del judged["q3"]
    options = {"name": "test", "ndcg_at_k": [3, 10], "precision_recall_at_k": [5]}
    model = Model()
    theirs = InformationRetrievalEvaluator(
        queries, corpus, {query: relevant[query] for query in judged}, **options
    )
    ours = sentence_transformers.make_evaluator(queries, corpus, judged, **options)
    for each in (theirs, ours):
        each.store_metrics_in_model_card_data = lambda *about, **options: None
    expected, found = theirs(model, str(tmp_path / "a")), ours(model, str(tmp_path / "b"))
    assert {name: found[name] for name in expected} == pytest.approx(expected, rel=1e-12)
    name = "test_cosine_ndcg@3"
    assert found[f"{name}_low"] < found[name] < found[f"{name}_high"]
    assert ours.primary_metric == theirs.primary_metric
    evaluation = ours.evaluations["cosine"]
    assert evaluation.mean("nDCG@3") == found[name]
    assert list(ours.runs["cosine"]) == ours.queries_ids
    (own,) = (tmp_path / "b").glob("*.csv")
    (other,) = (tmp_path / "a").glob("*.csv")
    assert own.read_text().split("\n")[0] == other.read_text().split("\n")[0]


class Parts:
    """Batches of the items, as a step returns them."""

    def __init__(self, torch: Any, rows: bool) -> None:
        self.torch, self.rows = torch, rows

    def __len__(self) -> int:
        return 4

    def __iter__(self) -> Any:
        for part in np.split(np.arange(48), 4):
            batch = {
                "features": self.torch.tensor(FEATURES[part]),
                "labels": self.torch.tensor(LABELS[part]),
            }
            if self.rows:
                yield {name: value.reshape(2, 6, -1).squeeze(-1) for name, value in batch.items()}
            else:
                yield {**batch, "queries": self.torch.tensor(QUERIES[part])}


@pytest.mark.parametrize("rows", [False, True])
def test_lightning(rows: bool, tmp_path: Path) -> None:
    torch = need("torch")
    package = need("pytorch_lightning")

    class Ranker(package.LightningModule):
        def __init__(self) -> None:
            super().__init__()
            self.layer = torch.nn.Linear(3, 1)

        def validation_step(self, batch: Any, index: int, dataloader_idx: int = 0) -> Any:
            scores = self.layer(batch.pop("features"))[..., 0]
            return {**batch, "scores": scores}

        test_step = validation_step

    callback = lightning.make_callback(["nDCG@3", "RR"])
    trainer = package.Trainer(
        accelerator="cpu",
        callbacks=[callback],
        logger=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        enable_checkpointing=False,
        default_root_dir=tmp_path,
    )
    model = Ranker()
    with torch.no_grad():
        expected = measure(model.layer(torch.tensor(FEATURES))[:, 0].numpy())
    for prefix, run in (("val", trainer.validate), ("test", trainer.test)):
        (found,) = run(model, Parts(torch, rows), verbose=False)
        own = expected.summary("nDCG@3")
        # Lightning keeps what is logged as 32-bit floats.
        assert found[f"{prefix}_ndcg_cut_3"] == pytest.approx(own.mean, rel=1e-6)
        assert found[f"{prefix}_ndcg_cut_3_high"] == pytest.approx(own.interval.high, rel=1e-6)
        assert callback.evaluation.mean("RR") == pytest.approx(expected.mean("RR"), rel=1e-12)
    first, *_ = trainer.validate(model, [Parts(torch, rows), Parts(torch, rows)], verbose=False)
    assert "val_ndcg_cut_3/0" in first


def test_steps_that_return_something_else() -> None:
    torch = need("torch")
    need("pytorch_lightning")
    callback = lightning.make_callback()
    with pytest.raises(ParameterError, match="does not return labels and scores"):
        callback.on_validation_batch_end(None, None, torch.tensor(0.5), None, 0)


def test_parts_of_processes_are_gathered(tmp_path: Path) -> None:
    torch = need("torch")
    store = torch.distributed.FileStore(str(tmp_path / "store"), 1)
    torch.distributed.init_process_group("gloo", store=store, rank=0, world_size=1)
    try:
        part = {"labels": LABELS, "scores": LABELS}
        (first, second) = lightning._gather([part, part])
    finally:
        torch.distributed.destroy_process_group()
    for each in (first, second):
        assert each["labels"].tolist() == LABELS.tolist()
