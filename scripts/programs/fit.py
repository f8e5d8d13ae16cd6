"""Lightning's Trainer."""
import logging
import warnings

try:
    import lightning as L
except ImportError:
    import pytorch_lightning as L
import torch
from torch import nn

from clock import Clock

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
clock = Clock()


class Model(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 1))

    def training_step(self, batch, number):
        clock.round()
        loss = self.net(batch[0]).mean()
        self.value = loss.item()  # waits
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=1e-3)


data = torch.utils.data.TensorDataset(torch.randn(16 * 600, 256))
trainer = L.Trainer(max_epochs=1, accelerator="gpu", devices=1, logger=False, enable_checkpointing=False,
                    enable_progress_bar=False, enable_model_summary=False)
trainer.fit(Model(), torch.utils.data.DataLoader(data, batch_size=16))
torch.cuda.synchronize()
clock.print()
