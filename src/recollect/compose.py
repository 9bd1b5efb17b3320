"""Ask every layer at once what it has for a scene; one that fails or is late is left out and logged."""

import asyncio
import logging
from collections.abc import Mapping

from recollect.ports import Layer, Scene
from recollect.types import Block

log = logging.getLogger("recollect.context")


async def gather(layers: Mapping[str, Layer], scene: Scene, deadline: float) -> list[Block]:
    """The sections of all layers that answer within so many seconds."""
    tasks = {asyncio.create_task(layer.offer(scene), name=f"recollect-{name}"): name for name, layer in layers.items()}
    if not tasks:
        return []
    done, late = await asyncio.wait(tasks, timeout=deadline)
    for task in late:
        log.warning("the layer %s took longer than %.2f s and was left out", tasks[task], deadline)
        task.cancel()
    blocks: list[Block] = []
    for task, name in tasks.items():
        if task in done:
            problem = task.exception()
            if problem is None:
                blocks += task.result()
            else:
                log.warning("the layer %s failed and was left out", name, exc_info=problem)
    return blocks
