"""LeNet-like classifier of grey images, 32 by 32: two convolutions with pooling, three linear layers."""
import torch
import torch.nn.functional as F
from torch import nn

batch, classes = 4096, 10
WORKLOADS = {"cpu": {"batch": 32}}
META = {"reduces": 400, "tags": ["network", "convolution", "image", "matmul"]}


class Model(nn.Module):
    def __init__(self, classes: int):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(16 * 5 * 5, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = F.max_pool2d(torch.relu(self.conv1(x)), 2)
        x = F.max_pool2d(torch.relu(self.conv2(x)), 2)
        x = torch.relu(self.fc1(x.flatten(1)))
        x = torch.relu(self.fc2(x))
        return self.fc3(x)


def get_inputs():
    return [2 * torch.randn(batch, 1, 32, 32)]


def get_init_inputs():
    return [classes]
