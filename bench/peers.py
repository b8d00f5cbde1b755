"""The tools that spuna is compared with, each used plainly. Reads one command a line and answers with
one line of JSON, as performance_worker does, so that the two can take turns."""

import json
import struct
import sys
import time

import numpy as np

THREADS = 2


def rows(path, dimension):
    key = (path, dimension)
    if key not in rows.cache:
        rows.cache[key] = np.fromfile(path, dtype=np.float32).reshape(-1, dimension)
    return rows.cache[key]


rows.cache = {}


def timed(work):
    begin = time.perf_counter()
    result = work()
    return time.perf_counter() - begin, result


def faiss_search(bank, queries, dimension, k):
    import faiss

    faiss.omp_set_num_threads(THREADS)
    dimension, k = int(dimension), int(k)
    bank, queries = rows(bank, dimension), rows(queries, dimension)

    def work():
        index = faiss.IndexFlatL2(dimension)
        index.add(bank)
        return index.search(queries, k)[0]

    seconds, squared = timed(work)
    return {"seconds": seconds, "mean": float(np.sqrt(np.maximum(squared, 0)).mean(1).mean())}


def sklearn_search(bank, queries, dimension, k):
    from sklearn.neighbors import NearestNeighbors

    dimension, k = int(dimension), int(k)
    bank, queries = rows(bank, dimension), rows(queries, dimension)
    search = NearestNeighbors(n_neighbors=k, algorithm="brute")
    seconds, found = timed(lambda: search.fit(bank).kneighbors(queries)[0])
    return {"seconds": seconds, "mean": float(found.mean())}


def faiss_expand(trusted, pool, dimension):
    """The paper's expansion with faiss and numpy: the indexes grow, and every round searches them."""
    import faiss

    faiss.omp_set_num_threads(THREADS)
    alpha, beta, k = 30, 1500, 100
    dimension = int(dimension)
    trusted, pool = rows(trusted, dimension), rows(pool, dimension)

    def entropy(shifted):
        values = np.linalg.eigvalsh(np.cov(shifted.astype(np.float64), rowvar=False, bias=True))
        share = values[values > 0] / values[values > 0].sum()
        return float(-(share * np.log(share)).sum())

    def mean_distance(index, queries):
        squared, _ = index.search(queries, min(k, index.ntotal))
        return np.sqrt(np.maximum(squared, 0)).mean(1)

    def work():
        clean_index = faiss.IndexFlatL2(dimension)
        clean_index.add(trusted)
        shifted_index = faiss.IndexFlatL2(dimension)
        rounds = np.full(len(pool), -1)
        shifted_rows = np.zeros(len(pool), dtype=bool)
        nearest, _ = clean_index.search(pool, 1)
        order = np.argsort(nearest[:, 0], kind="stable")
        clean, shifted = order[:alpha], order[-alpha:]
        entropies = []
        number = 0
        while True:
            rounds[clean] = rounds[shifted] = number
            shifted_rows[shifted] = True
            clean_index.add(pool[clean])
            shifted_index.add(pool[shifted])
            entropies.append(entropy(pool[shifted_rows]))
            rest = np.flatnonzero(rounds < 0)
            count = min(beta, len(rest) // 2)
            if count == 0:
                return rounds, entropies
            queries = pool[rest]
            scores = mean_distance(shifted_index, queries) - mean_distance(clean_index, queries)
            order = np.argsort(scores, kind="stable")
            shifted, clean = rest[order[:count]], rest[order[-count:]]
            number += 1

    seconds, (rounds, entropies) = timed(work)
    return {
        "seconds": seconds,
        "rounds": len(entropies) - 1,
        "entropy": entropies[-1],
        "labels": rounds.tolist(),
    }


def torch_epochs(trusted, pool, dimension, epochs):
    import torch

    torch.set_num_threads(THREADS)
    torch.manual_seed(0)
    dimension = int(dimension)
    data = np.concatenate([rows(trusted, dimension), rows(pool, dimension)])
    data = (data - data.mean(0)) / data.std(0)
    inputs = torch.from_numpy(data)
    labels = torch.arange(len(inputs)) % 2
    network = torch.nn.Sequential(
        torch.nn.Linear(dimension, 512), torch.nn.ReLU(), torch.nn.Linear(512, 2)
    )
    optimizer = torch.optim.Adam(network.parameters(), 1e-3)
    loss = torch.nn.CrossEntropyLoss()

    def work():
        for _ in range(int(epochs)):
            for batch in torch.randperm(len(inputs)).split(128):
                optimizer.zero_grad()
                loss(network(inputs[batch]), labels[batch]).backward()
                optimizer.step()

    return {"seconds": timed(work)[0]}


def load_model(path):
    """The tensors of a safetensors file."""
    types = {"F32": np.float32, "F64": np.float64}
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        data = file.read()
    header.pop("__metadata__", None)
    return {
        name: np.frombuffer(data[slice(*entry["data_offsets"])], types[entry["dtype"]]).reshape(
            entry["shape"]
        )
        for name, entry in header.items()
    }


def onnx_session(model):
    if model in onnx_session.cache:
        return onnx_session.cache[model]
    import onnx
    import onnxruntime
    from onnx import helper, numpy_helper

    tensors = load_model(model)
    deviation = tensors["standardize.deviation"]
    constants = {
        "mean": tensors["standardize.mean"].astype(np.float32),
        "inverse": np.where(deviation > 0, 1 / np.where(deviation > 0, deviation, 1), 0).astype(
            np.float32
        ),
        "w1": tensors["hidden.weight"],
        "b1": tensors["hidden.bias"],
        "w2": tensors["output.weight"],
        "b2": tensors["output.bias"],
    }
    nodes = [
        helper.make_node("Sub", ["x", "mean"], ["centered"]),
        helper.make_node("Mul", ["centered", "inverse"], ["standardized"]),
        helper.make_node("Gemm", ["standardized", "w1", "b1"], ["hidden"], transB=1),
        helper.make_node("Relu", ["hidden"], ["active"]),
        helper.make_node("Gemm", ["active", "w2", "b2"], ["logits"], transB=1),
        helper.make_node("Softmax", ["logits"], ["y"], axis=1),
    ]
    width = constants["mean"].shape[0]
    graph = helper.make_graph(
        nodes,
        "spuna",
        [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [None, width])],
        [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [None, 2])],
        [numpy_helper.from_array(np.ascontiguousarray(v), n) for n, v in constants.items()],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = THREADS
    session = onnxruntime.InferenceSession(
        made.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    onnx_session.cache[model] = session
    return session


onnx_session.cache = {}


def onnx_predict(session, inputs, batch=8192):
    parts = [
        session.run(["y"], {"x": inputs[begin : begin + batch]})[0][:, 1]
        for begin in range(0, len(inputs), batch)
    ]
    return np.concatenate(parts)


def onnx_score(model, path, dimension):
    session = onnx_session(model)
    inputs = rows(path, int(dimension))
    seconds, scores = timed(lambda: onnx_predict(session, inputs))
    return {"seconds": seconds, "first": float(scores[0])}


def torch_score(model, path, dimension):
    import torch

    torch.set_num_threads(THREADS)
    tensors = {name: torch.tensor(value) for name, value in load_model(model).items()}
    mean = tensors["standardize.mean"].float()
    inverse = torch.nan_to_num(1 / tensors["standardize.deviation"], posinf=0).float()
    inputs = torch.from_numpy(rows(path, int(dimension)))

    def work():
        parts = []
        with torch.inference_mode():
            for batch in inputs.split(8192):
                hidden = torch.nn.functional.linear(
                    (batch - mean) * inverse, tensors["hidden.weight"], tensors["hidden.bias"]
                ).relu_()
                logits = torch.nn.functional.linear(
                    hidden, tensors["output.weight"], tensors["output.bias"]
                )
                parts.append(torch.softmax(logits, 1)[:, 1])
            return torch.cat(parts).numpy()

    seconds, scores = timed(work)
    return {"seconds": seconds, "first": float(scores[0])}


def to_numpy(column):
    column = column.combine_chunks()
    return column.flatten().to_numpy().reshape(len(column), -1)


def pyarrow_read(path):
    import pyarrow
    import pyarrow.parquet

    pyarrow.set_cpu_count(THREADS)

    def work():
        table = pyarrow.parquet.read_table(path, columns=["embedding"])
        return to_numpy(table["embedding"])

    seconds, matrix = timed(work)
    return {"seconds": seconds, "rows": len(matrix), "last": float(matrix[-1, -1])}


def pyarrow_score(model, source, target, compression, rows_per_group):
    import pyarrow
    import pyarrow.parquet

    pyarrow.set_cpu_count(THREADS)
    session = onnx_session(model)

    def work():
        table = pyarrow.parquet.read_table(source)
        scores = onnx_predict(session, to_numpy(table["embedding"]))
        table = table.append_column("spuna_score", pyarrow.array(scores))
        table = table.append_column("spuna_keep", pyarrow.array(scores < 0.5))
        pyarrow.parquet.write_table(
            table,
            target,
            compression=compression,
            row_group_size=int(rows_per_group),
            use_dictionary=["id"],
        )

    return {"seconds": timed(work)[0]}


def pool_or_trusted(trusted, pool, dimension):
    """All rows, and which are of the pool."""
    parts = [rows(trusted, int(dimension)), rows(pool, int(dimension))]
    return np.concatenate(parts), np.repeat([0, 1], [len(part) for part in parts])


def with_auroc(seconds, scores, truth):
    from sklearn.metrics import roc_auc_score

    return {"seconds": seconds, "auroc": float(roc_auc_score(rows(truth, 1)[:, 0], scores))}


def sklearn_folds(model, method, trusted, pool, truth, dimension):
    from joblib import parallel_config
    from sklearn.model_selection import cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    inputs, in_pool = pool_or_trusted(trusted, pool, dimension)
    work = make_pipeline(StandardScaler(), model)
    # Two processes of one thread each: with OMP_NUM_THREADS set they would take two each.
    with parallel_config(backend="loky", inner_max_num_threads=1):
        seconds, scores = timed(
            lambda: cross_val_predict(work, inputs, in_pool, cv=5, method=method, n_jobs=THREADS)
        )
    scores = scores if scores.ndim == 1 else scores[:, 1]
    return with_auroc(seconds, scores[in_pool == 1], truth)


def sklearn_logistic(*data):
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=0.01, class_weight="balanced", max_iter=2000)
    return sklearn_folds(model, "decision_function", *data)


def sklearn_network(*data):
    from sklearn.neural_network import MLPClassifier

    # As many passes over the rows as ours.
    model = MLPClassifier((512,), batch_size=128, max_iter=6, random_state=0)
    return sklearn_folds(model, "predict_proba", *data)


def torch_network(trusted, pool, truth, dimension):
    import torch

    torch.set_num_threads(THREADS)
    torch.manual_seed(0)
    inputs, in_pool = pool_or_trusted(trusted, pool, dimension)
    inputs = torch.from_numpy((inputs - inputs.mean(0)) / inputs.std(0))
    labels = torch.from_numpy(in_pool.astype(np.float32))
    folds = torch.randperm(len(inputs)) % 5
    loss = torch.nn.BCEWithLogitsLoss(pos_weight=(labels == 0).sum() / labels.sum())

    def work():
        scores = torch.empty(len(inputs))
        for fold in range(5):
            network = torch.nn.Sequential(
                torch.nn.Linear(int(dimension), 512), torch.nn.ReLU(), torch.nn.Linear(512, 1)
            )
            optimizer = torch.optim.Adam(network.parameters(), 1e-3)
            others = torch.nonzero(folds != fold)[:, 0]
            for _ in range(6):
                for batch in others[torch.randperm(len(others))].split(128):
                    optimizer.zero_grad()
                    loss(network(inputs[batch])[:, 0], labels[batch]).backward()
                    optimizer.step()
            with torch.inference_mode():
                scores[folds == fold] = network(inputs[folds == fold])[:, 0]
        return scores.numpy()

    seconds, scores = timed(work)
    return with_auroc(seconds, scores[in_pool == 1], truth)


def faiss_neighbors(trusted, pool, truth, dimension):
    import faiss

    faiss.omp_set_num_threads(THREADS)
    trusted, pool = rows(trusted, int(dimension)), rows(pool, int(dimension))

    def work():
        index = faiss.IndexFlatL2(int(dimension))
        index.add(trusted)
        return np.sqrt(np.maximum(index.search(pool, 100)[0], 0)).mean(1)

    return with_auroc(*timed(work), truth)


COMMANDS = {
    function.__name__: function
    for function in (
        faiss_search,
        sklearn_search,
        faiss_expand,
        torch_epochs,
        sklearn_logistic,
        sklearn_network,
        torch_network,
        faiss_neighbors,
        onnx_score,
        torch_score,
        pyarrow_read,
        pyarrow_score,
    )
}

if __name__ == "__main__":
    for line in sys.stdin:
        name, *arguments = line.split()
        print(json.dumps(COMMANDS[name](*arguments)), flush=True)
