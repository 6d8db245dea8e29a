# class ModelNew(nn.Module): see below
"""
class ModelNew(nn.Module):
    pass
"""
import torch

print(torch.__version__)
