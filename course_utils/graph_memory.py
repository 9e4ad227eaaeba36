"""How many bytes of activations autograd keeps for the backward pass, now and at most."""

import torch


class GraphMemory(torch.autograd.graph.saved_tensors_hooks):
    """Counts what graphs hold that are made inside its ``with`` block: each piece of memory once.

    Parameters
    ----------
    apart : list of tensors that are there anyway and do not count, such as inputs and weights.

    Attributes
    ----------
    held : int, bytes held now; it falls when a graph is freed.
    peak : int, the most that was ever held.

    >>> W = torch.ones(3, 3, requires_grad=True)
    >>> with GraphMemory([W]) as memory:
    ...     y = torch.tanh(W @ torch.ones(3))
    >>> memory.held  # the vector of ones and the tanh's result, 3 numbers of 4 bytes each
    24
    >>> del y
    >>> memory.held, memory.peak
    (0, 24)
    """

    def __init__(self, apart=()):
        super().__init__(lambda tensor: _Held(tensor, self), lambda held: held.tensor)
        self.held = self.peak = 0
        self._apart = {_address(tensor) for tensor in apart}
        self._holders = {}

    def __enter__(self):
        super().__enter__()
        return self

    def _add(self, tensor):
        address = _address(tensor)
        if address in self._apart:
            return
        self._holders[address] = self._holders.get(address, 0) + 1
        if self._holders[address] == 1:
            self.held += tensor.untyped_storage().nbytes()
            self.peak = max(self.peak, self.held)

    def _remove(self, tensor):
        address = _address(tensor)
        if address in self._apart:
            return
        self._holders[address] -= 1
        if not self._holders[address]:
            del self._holders[address]
            self.held -= tensor.untyped_storage().nbytes()


class _Held:
    """What a graph keeps in place of a tensor: it tells the counter when the graph lets go."""

    def __init__(self, tensor, memory):
        self.tensor, self._memory = tensor.detach(), memory  # its history would keep itself alive
        memory._add(tensor)

    def __del__(self):
        self._memory._remove(self.tensor)


def _address(tensor):
    return tensor.untyped_storage().data_ptr()
