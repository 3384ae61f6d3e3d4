"""The programs that are run as jobs: `python3 programs.py NAME FOLDER`. Each writes what it saw itself to FOLDER/NAME.json."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

DEVICE = os.environ.get("FRAMEWORKS_DEVICE", "cuda")


def say(folder, what, **facts):
    """A whole file at once: others wait for it."""
    path = Path(folder, what + ".json")
    part = path.with_suffix(".part")
    part.write_text(json.dumps(facts))
    part.rename(path)


def wait_for(path):
    """Until a file is there, so that others can look in the meantime."""
    until = time.monotonic() + 60
    while not Path(path).exists() and time.monotonic() < until:
        time.sleep(0.02)


def of_nvidia_smi(query):
    """The lines of an answer, as lists; none without a GPU."""
    if DEVICE != "cuda":
        return []
    line = ["nvidia-smi", query, "--format=csv,noheader,nounits"]
    return [each.split(", ") for each in subprocess.check_output(line, text=True).splitlines()]


def computed():
    """Uses the GPU: the device's name, a sum of ones, and how many devices there are."""
    import torch

    if DEVICE != "cuda":
        return "cpu", float(torch.ones(1000).sum()), 1
    total = float(torch.ones(1000, device="cuda").sum())
    return torch.cuda.get_device_name(0), total, torch.cuda.device_count()


def fit_lightning(folder):
    import torch

    try:
        import lightning.pytorch as pl
        from lightning.pytorch.loggers import CSVLogger
    except ImportError:
        import pytorch_lightning as pl
        from pytorch_lightning.loggers import CSVLogger
    from berth.integrations.lightning import BerthCallback, BerthLogger

    csv = CSVLogger(folder, name="csv")

    class Model(pl.LightningModule):
        def __init__(self, lr=0.05, width=16):
            super().__init__()
            self.save_hyperparameters()
            self.net = torch.nn.Sequential(torch.nn.Linear(8, width), torch.nn.ReLU(), torch.nn.Linear(width, 1))

        def training_step(self, batch, _):
            loss = torch.nn.functional.mse_loss(self.net(batch[0]), batch[1])
            self.log("train_loss", loss, on_step=True, on_epoch=True)
            return loss

        def validation_step(self, batch, _):
            self.log("val_loss", torch.nn.functional.mse_loss(self.net(batch[0]), batch[1]))

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), lr=self.hparams.lr)

    class Pause(pl.Callback):
        def on_train_epoch_start(self, trainer, module):
            if trainer.current_epoch == 1:
                say(folder, "half", device=str(module.device))
                wait_for(Path(folder, "go"))

    torch.manual_seed(1)
    inputs = torch.randn(256, 8)
    data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(inputs, inputs.sum(1, keepdim=True)), batch_size=16)
    trainer = pl.Trainer(
        max_epochs=2, accelerator="gpu" if DEVICE == "cuda" else "cpu", devices=1, log_every_n_steps=2,
        logger=[BerthLogger(), csv], callbacks=[BerthCallback(), Pause()], enable_progress_bar=False,
        enable_model_summary=False, default_root_dir=folder)
    trainer.fit(Model(), data, data)
    csv.save()
    say(folder, "fit_lightning", version=pl.__version__, csv=str(Path(csv.log_dir, "metrics.csv")),
        gpu=torch.cuda.get_device_name(0) if DEVICE == "cuda" else "cpu")


def fit_transformers(folder):
    import torch
    import transformers
    from berth.integrations.huggingface import BerthCallback

    class Data(torch.utils.data.Dataset):
        def __len__(self):
            return 64

        def __getitem__(self, index):
            words = torch.arange(16) * (index + 1) % 100
            return {"input_ids": words, "labels": words}

    class Pause(transformers.TrainerCallback):
        def on_epoch_end(self, args, state, control, **more):
            if round(state.epoch) == 1:
                say(folder, "half", device=str(args.device))
                wait_for(Path(folder, "go"))

    torch.manual_seed(1)
    config = transformers.GPT2Config(vocab_size=100, n_positions=16, n_embd=32, n_layer=2, n_head=2)
    model = transformers.GPT2LMHeadModel(config)
    said = transformers.TrainingArguments(
        output_dir=folder, num_train_epochs=2, per_device_train_batch_size=8, learning_rate=1e-3, logging_steps=2,
        eval_strategy="epoch", save_strategy="no", report_to=[], disable_tqdm=True, use_cpu=DEVICE != "cuda")
    trainer = transformers.Trainer(model=model, args=said, train_dataset=Data(), eval_dataset=Data(),
                                   callbacks=[BerthCallback(), Pause()])
    trainer.train()
    say(folder, "fit_transformers", version=transformers.__version__, log=trainer.state.log_history,
        learning_rate=said.learning_rate, device=str(said.device))


def write_events(folder):
    """TensorBoard's files by PyTorch's writer: an independent hand. Values are of 32 bits there."""
    import torch
    from torch.utils.tensorboard import SummaryWriter

    wrote = {"loss": [], "nested/acc": []}
    with SummaryWriter(str(Path(folder, "events"))) as writer:
        for step in range(100):
            tensor = torch.tensor(1.0, device=DEVICE if DEVICE == "cuda" else "cpu") / (step + 3)
            for name, value in (("loss", tensor), ("nested/acc", 1 - tensor)):
                writer.add_scalar(name, value, step)
                wrote[name].append([step, float(value)])
        writer.add_histogram("weights", torch.randn(50), 1)
        writer.add_text("note", "text is no scalar", 1)
    say(folder, "write_events", version=torch.__version__, wrote=wrote)


def claim(folder):
    """GPUs for a process that runs already, by both ways; the context of CUDA is in a child, so that it ends with the block."""
    import berth

    began = time.time()
    with berth.gpus(1) as lease:
        granted = time.time() - began
        here = dict(id=lease.id, visible=os.environ.get("CUDA_VISIBLE_DEVICES"), uuids=lease.uuids)
        child = subprocess.run([sys.executable, __file__, "look", folder], stdout=subprocess.PIPE, text=True)
        inside = json.loads(child.stdout)
        say(folder, "inside", id=lease.id)
        wait_for(Path(folder, "go"))
    say(folder, "claim", granted=granted, inside=inside, after=os.environ.get("CUDA_VISIBLE_DEVICES"), **here)


def look(_):
    name, total, devices = computed()
    apps = of_nvidia_smi("--query-compute-apps=pid,used_memory")
    print(json.dumps(dict(pid=os.getpid(), name=name, sum=total, devices=devices, apps=apps)))


def claim_here(folder):
    """CUDA in the process itself, within and after the block."""
    import torch  # Its import alone must not count as a use of CUDA.

    import berth

    with berth.gpus(1) as lease:
        name, total, devices = computed()
        say(folder, "inside", id=lease.id, name=name, sum=total, devices=devices, pid=os.getpid(), torch=torch.__version__,
            apps=of_nvidia_smi("--query-compute-apps=pid,used_memory"))
        wait_for(Path(folder, "go"))
    say(folder, "outside", id=lease.id)
    wait_for(Path(folder, "end"))


def claim_safe_gpu(folder):
    from berth import safe_gpu

    safe_gpu.claim_gpus(1)
    name, total, devices = computed()
    say(folder, "claim_safe_gpu", name=name, sum=total, devices=devices, taken=safe_gpu.gpu_owner.devices_taken)
    safe_gpu.release_gpus()


def claim_too_late(folder):
    """In processes of their own, as each is a different way to use CUDA too early."""
    ways = {
        "torch.cuda.init()": "import torch; torch.cuda.init()",
        "torch.cuda.is_available()": "import torch; torch.cuda.is_available()",
        "cuInit(0)": "import ctypes; ctypes.CDLL('libcuda.so.1').cuInit(0)",
        "import torch": "import torch",
    }
    asked = "\nimport berth\ntry:\n  berth.gpus(1).release(); print('granted')\nexcept berth.BerthError as e: print(e.code, e)"
    heard = {}
    for name, way in ways.items():
        done = subprocess.run([sys.executable, "-c", way + asked], stdout=subprocess.PIPE, text=True)
        heard[name] = done.stdout.strip()
    say(folder, "claim_too_late", **heard)


def hold(folder):
    """A process on the GPU with 512 MiB until a file is there."""
    import torch

    kept = torch.ones(128 << 20, dtype=torch.float32, device=DEVICE)
    say(folder, "hold", pid=os.getpid(), bytes=kept.numel() * 4)
    wait_for(Path(folder, "go"))
    say(folder, "held", at=time.time())


def multiply(folder):
    """Multiplies for FRAMEWORKS_SECONDS, and says when."""
    import torch

    name = os.environ["FRAMEWORKS_NAME"]
    began = time.time()
    large = torch.randn(8192 if DEVICE == "cuda" else 256, 8192 if DEVICE == "cuda" else 256, device=DEVICE)
    say(folder, name + ".began", at=began)
    until = time.time() + float(os.environ["FRAMEWORKS_SECONDS"])
    while time.time() < until:
        large @ large
        if DEVICE == "cuda":
            torch.cuda.synchronize()
    say(folder, name, began=began, ended=time.time(), job=os.environ.get("BERTH_JOB_ID"))


def first(folder):
    """When its first line ran, and when the GPU had answered, where that is asked for."""
    at = time.time()
    if "FRAMEWORKS_COMPUTES" in os.environ:
        computed()
    say(folder, "first", at=at, computed=time.time())


if __name__ == "__main__":
    globals()[sys.argv[1]](sys.argv[2])
