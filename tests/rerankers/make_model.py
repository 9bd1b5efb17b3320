"""Makes `model.onnx`, a cross-encoder of a few hundred bytes: its logit is ten times the number of shared words; and
`classifier.onnx`, which gives two numbers for a text.

`python tests/rerankers/make_model.py` needs the package `onnx`; the results are in the repository.
"""

from pathlib import Path

from onnx import TensorProto, checker, helper, save

FIRST_WORD = 4
"""Ids below are [PAD], [UNK], [CLS] and [SEP]."""


def make(numbers: int = 1) -> object:
    int64, real = TensorProto.INT64, TensorProto.FLOAT
    shape = ["batch", "length"]
    inputs = [helper.make_tensor_value_info(name, int64, shape) for name in ("input_ids", "token_type_ids")]
    output = helper.make_tensor_value_info("logits", real, ["batch", numbers])

    def constant(name: str, *values: int) -> object:
        return helper.make_tensor(name, int64, [len(values)], values)

    constants = [constant("one", 1), constant("two", 2), constant("first_word", FIRST_WORD), constant("both", 1, 2)]
    constants.append(helper.make_tensor("ten", real, [1], [10.0]))
    nodes = [
        helper.make_node("Less", ["input_ids", "first_word"], ["is_special"]),
        helper.make_node("Not", ["is_special"], ["is_word"]),
        helper.make_node("Equal", ["token_type_ids", "one"], ["is_second"]),
        helper.make_node("Not", ["is_second"], ["is_first"]),
        helper.make_node("And", ["is_word", "is_first"], ["asked"]),
        helper.make_node("And", ["is_word", "is_second"], ["said"]),
        helper.make_node("Unsqueeze", ["input_ids", "two"], ["ids_down"]),
        helper.make_node("Unsqueeze", ["input_ids", "one"], ["ids_across"]),
        helper.make_node("Equal", ["ids_down", "ids_across"], ["same"]),
        helper.make_node("Unsqueeze", ["asked", "two"], ["asked_down"]),
        helper.make_node("Unsqueeze", ["said", "one"], ["said_across"]),
        helper.make_node("And", ["asked_down", "said_across"], ["pairs"]),
        helper.make_node("And", ["same", "pairs"], ["shared"]),
        helper.make_node("Cast", ["shared"], ["counted"], to=real),
        helper.make_node("ReduceSum", ["counted", "both"], ["sum"], keepdims=0),
        helper.make_node("Mul", ["sum", "ten"], ["times_ten"]),
        helper.make_node("Unsqueeze", ["times_ten", "one"], ["logit"]),
        helper.make_node("Concat", ["logit"] * numbers, ["logits"], axis=1),
    ]
    graph = helper.make_graph(nodes, "shared_words", inputs, [output], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


if __name__ == "__main__":
    for name, model in (("model", make()), ("classifier", make(numbers=2))):
        checker.check_model(model)
        save(model, Path(__file__).with_name(f"{name}.onnx"))
