"""A PyTorch training loop with our profiler server."""

import itertools

import lifetime  # noqa: F401
import torch

import profiler_plugin

model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1))
optimizer = torch.optim.SGD(model.parameters(), 0.01)


def train() -> None:
    optimizer.zero_grad()
    model(torch.randn(32, 64)).sum().backward()
    optimizer.step()


train()  # the first step loads half of PyTorch
print(profiler_plugin.server.start(0).address, flush=True)
for step in itertools.count():
    with profiler_plugin.Trace("train", step_num=step, _r=1):
        train()
