"""A cross-encoder of MiniLM's size in plain PyTorch: it reads MiniLM's weights, and exports without surprises."""

import json
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu, scaled_dot_product_attention


class Block(nn.Module):
    def __init__(self, size: int, heads: int, inner: int) -> None:
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.out = (nn.Linear(size, size) for _ in range(4))
        self.grow, self.shrink = nn.Linear(size, inner), nn.Linear(inner, size)
        self.first_norm, self.second_norm = nn.LayerNorm(size, 1e-12), nn.LayerNorm(size, 1e-12)
        self.dropout = nn.Dropout(0.1)

    def forward(self, hidden: Tensor, mask: Tensor) -> Tensor:
        batch, length, size = hidden.shape

        def split(one: Tensor) -> Tensor:
            return one.view(batch, length, self.heads, size // self.heads).transpose(1, 2)

        query, key, value = split(self.query(hidden)), split(self.key(hidden)), split(self.value(hidden))
        if torch.onnx.is_in_onnx_export():
            weights = query @ key.transpose(-1, -2) / (size // self.heads) ** 0.5 + mask
            mixed = weights.softmax(-1) @ value
        else:
            mixed = scaled_dot_product_attention(query, key, value, mask.to(query.dtype))
        mixed = mixed.transpose(1, 2).reshape(batch, length, size)
        hidden = self.first_norm(hidden + self.dropout(self.out(mixed)))
        return self.second_norm(hidden + self.dropout(self.shrink(gelu(self.grow(hidden)))))


class CrossEncoder(nn.Module):
    def __init__(self, config: dict[str, Any]) -> None:
        super().__init__()
        size = config["hidden_size"]
        self.words = nn.Embedding(config["vocab_size"], size)
        self.places = nn.Embedding(config["max_position_embeddings"], size)
        self.types = nn.Embedding(config["type_vocab_size"], size)
        self.norm, self.dropout = nn.LayerNorm(size, 1e-12), nn.Dropout(0.1)
        shape = size, config["num_attention_heads"], config["intermediate_size"]
        self.blocks = nn.ModuleList(Block(*shape) for _ in range(config["num_hidden_layers"]))
        self.dense, self.head = nn.Linear(2 * size, size), nn.Linear(size, 1)

    def forward(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> Tensor:
        places = torch.arange(input_ids.shape[1], device=input_ids.device)
        hidden = self.words(input_ids) + self.places(places)[None] + self.types(token_type_ids)
        hidden = self.dropout(self.norm(hidden))
        mask = (1.0 - attention_mask[:, None, None, :].to(hidden.dtype)) * -1e4
        for block in self.blocks:
            hidden = block(hidden, mask)
        counted = attention_mask[:, :, None].to(hidden.dtype)
        mean = (hidden * counted).sum(1) / counted.sum(1)
        pooled = torch.tanh(self.dense(torch.cat([hidden[:, 0], mean], 1)))
        return self.head(self.dropout(pooled))[:, 0]


def from_minilm(folder: Path) -> CrossEncoder:
    """The encoder with MiniLM's weights, and a new head."""
    from safetensors.torch import load_file

    encoder = CrossEncoder(json.loads((folder / "config.json").read_text("utf-8")))
    weights = {name: tensor.float() for name, tensor in load_file(folder / "model.safetensors").items()}
    if (packed := folder / "words.safetensors").exists():  # the largest matrix, in eight bits a number
        both = load_file(packed)
        weights["embeddings.word_embeddings.weight"] = both["numbers"].float() * both["scales"].float()
    names = {
        "embeddings.word_embeddings": "words",
        "embeddings.position_embeddings": "places",
        "embeddings.token_type_embeddings": "types",
        "embeddings.LayerNorm": "norm",
        "attention.self.query": "query",
        "attention.self.key": "key",
        "attention.self.value": "value",
        "attention.output.dense": "out",
        "attention.output.LayerNorm": "first_norm",
        "intermediate.dense": "grow",
        "output.dense": "shrink",
        "output.LayerNorm": "second_norm",
    }
    own = dict(encoder.state_dict())
    for name, tensor in weights.items():
        place, _, kind = name.rpartition(".")
        prefix = ""
        if place.startswith("encoder.layer."):
            number, _, place = place.removeprefix("encoder.layer.").partition(".")
            prefix = f"blocks.{number}."
        if place in names:
            own[f"{prefix}{names[place]}.{kind}"] = tensor
    encoder.load_state_dict(own)
    return encoder
