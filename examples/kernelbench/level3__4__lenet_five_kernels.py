"""LeNet-5 in five launches: each convolution with bias, ReLU and pooling is one, each linear layer with ReLU another.

From the second convolution on activations are kept as [features, images]: the linear layers are then products of a
weight as it lies in memory with a right operand that is read along its rows, and nothing is ever transposed.
"""

import torch
import triton
import triton.language as tl
from torch import nn


@triton.jit
def conv_pool_kernel(
    x,
    weight,
    bias,
    y,
    images,
    channels,
    filters,
    feature_stride,
    image_stride,
    SIZE: tl.constexpr,
    FILTERS: tl.constexpr,
    PIXELS: tl.constexpr,
):
    """All filters at a run of pooled pixels of images SIZE x SIZE: 5 x 5 taps, largest of 2 x 2, bias, ReLU."""
    SIDE: tl.constexpr = (SIZE - 4) // 2
    f = tl.arange(0, FILTERS)[:, None]
    q = tl.program_id(0) * PIXELS + tl.arange(0, PIXELS)[None, :]
    inside = q < images * SIDE * SIDE
    image, p = (q // (SIDE * SIDE)).to(tl.int64), q % (SIDE * SIDE)
    corner = x + image * channels * SIZE * SIZE + (p // SIDE * SIZE + p % SIDE) * 2
    best = tl.full((FILTERS, PIXELS), -float("inf"), tl.float32)
    for window in range(4):
        total = tl.zeros((FILTERS, PIXELS), tl.float32)
        for line in range(0, channels * 5):  # Of one channel's taps; five lines a channel.
            left = corner + (line // 5) * SIZE * SIZE + (line % 5 + window // 2) * SIZE + window % 2
            taps = weight + f * channels * 25 + line * 5
            for tap in tl.static_range(5):
                pixel = tl.load(left + tap, mask=inside, other=0.0)
                total += tl.load(taps + tap, mask=f < filters, other=0.0) * pixel
        best = tl.maximum(best, total)
    best = tl.maximum(best + tl.load(bias + f, mask=f < filters, other=0.0), 0.0)
    place = y + image * image_stride + (f * SIDE * SIDE + p).to(tl.int64) * feature_stride
    tl.store(place, best, mask=(f < filters) & inside)


@triton.jit
def layer_kernel(
    weight,
    x_t,
    bias,
    y,
    images,
    inputs,
    outputs,
    feature_stride,
    image_stride,
    RELU: tl.constexpr,
    N: tl.constexpr,
    M: tl.constexpr,
    K: tl.constexpr,
):
    """y[n, m] = weight[n, :] @ x_t[:, m] + bias[n], laid out by the strides."""
    m = tl.program_id(0) * M + tl.arange(0, M)
    n = tl.program_id(1) * N + tl.arange(0, N)
    total = tl.zeros((N, M), tl.float32)
    for start in range(0, inputs, K):
        p = start + tl.arange(0, K)
        left, right = weight + n[:, None] * inputs + p[None, :], x_t + p.to(tl.int64)[:, None] * images + m[None, :]
        w = tl.load(left, mask=(n[:, None] < outputs) & (p[None, :] < inputs), other=0.0)
        v = tl.load(right, mask=(p[:, None] < inputs) & (m[None, :] < images), other=0.0)
        total = tl.dot(w, v, total, input_precision="ieee")
    total += tl.load(bias + n, mask=n < outputs, other=0.0)[:, None]
    if RELU:
        total = tl.maximum(total, 0.0)
    place = y + n.to(tl.int64)[:, None] * feature_stride + m.to(tl.int64)[None, :] * image_stride
    tl.store(place, total, mask=(n[:, None] < outputs) & (m[None, :] < images))


def conv_pool(
    x: torch.Tensor, conv: nn.Conv2d, size: int, y: torch.Tensor, feature_stride: int, image_stride: int
) -> None:
    (filters, channels), images = conv.weight.shape[:2], x.shape[0]
    block = triton.next_power_of_2(filters)
    run = 2048 // block  # Results of a program: 16 for each of its threads.
    grid = (triton.cdiv(images * ((size - 4) // 2) ** 2, run),)
    args = (x, conv.weight, conv.bias, y, images, channels, filters, feature_stride, image_stride)
    conv_pool_kernel[grid](*args, SIZE=size, FILTERS=block, PIXELS=run, num_warps=4)


def layer(x_t: torch.Tensor, linear: nn.Linear, relu: bool, y: torch.Tensor, strides: tuple[int, int]) -> torch.Tensor:
    (inputs, images), outputs = x_t.shape, linear.out_features
    grid = (triton.cdiv(images, 64), triton.cdiv(outputs, 32))
    layer_kernel[grid](
        linear.weight, x_t, linear.bias, y, images, inputs, outputs, *strides, RELU=relu, N=32, M=64, K=16, num_warps=4
    )
    return y


class ModelNew(nn.Module):
    def __init__(self, num_classes: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5)  # These hold weights and biases; what is computed is ours.
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(16 * 5 * 5, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, num_classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.contiguous()
        images, classes = x.shape[0], self.fc3.out_features
        pooled = x.new_empty(images, 6, 14, 14)
        conv_pool(x, self.conv1, 32, pooled, 1, 6 * 14 * 14)
        features = x.new_empty(16 * 5 * 5, images)
        conv_pool(pooled, self.conv2, 14, features, images, 1)
        hidden = layer(features, self.fc1, True, x.new_empty(120, images), (images, 1))
        hidden = layer(hidden, self.fc2, True, x.new_empty(84, images), (images, 1))
        return layer(hidden, self.fc3, False, x.new_empty(images, classes), (1, classes))
