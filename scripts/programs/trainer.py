"""The Trainer of transformers with a small GPT-2."""
import tempfile

import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainerCallback, TrainingArguments

from clock import Clock


class Tokens(torch.utils.data.Dataset):
    def __len__(self):
        return 2400

    def __getitem__(self, index):
        ids = torch.randint(0, 512, (64,))
        return {"input_ids": ids, "labels": ids}


class Counts(TrainerCallback):
    def on_step_begin(self, *arguments, **more):
        clock.round()


clock = Clock()
model = GPT2LMHeadModel(GPT2Config(vocab_size=512, n_positions=64, n_embd=128, n_layer=2, n_head=4))
arguments = TrainingArguments(output_dir=tempfile.mkdtemp(), per_device_train_batch_size=8, num_train_epochs=1,
                              logging_steps=1, report_to=[], save_strategy="no", disable_tqdm=True)
Trainer(model=model, args=arguments, train_dataset=Tokens(), callbacks=[Counts()]).train()
torch.cuda.synchronize()
clock.print()
