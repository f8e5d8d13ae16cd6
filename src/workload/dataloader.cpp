#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/translate.h"
#include "workload/common_settings.h"
#include "workload/eager_workload.h"
#include "workload/loader.h"
#include "workload/program.h"
#include "workload/workloads.h"

namespace lanescope::workload {
namespace {

using base::Nanoseconds;
using base::tr;
using ops::Op;
using ops::OpKind;

constexpr std::int64_t kStandardPrefetch = 2;  // PyTorch's default
constexpr std::int64_t kMostMib = 32 * 1024;
// A backward pass is about twice its forward pass.
constexpr double kForwardShare = 1.0 / 3;
constexpr std::int32_t kParameters = 1'000'000;
constexpr float kLoaderLearningRate = 0.01f;

struct DataloaderOptions {
  explicit DataloaderOptions(const Settings& settings)
      : non_blocking(settings.boolean(key::kNonBlocking)),
        model_us(settings.real("model_ms") * 1e3),
        log_interval(static_cast<std::uint64_t>(settings.integer(key::kLogInterval))),
        accumulate(static_cast<std::uint64_t>(settings.integer("accumulate"))),
        tensors(static_cast<std::size_t>(settings.integer("tensors"))),
        autocast(settings.boolean("autocast")),
        half_input(settings.choice("input") == "float16"),
        storage(settings.choice("storage")),
        dispatch_us(settings.real(key::kDispatchUs)) {
    const std::int64_t prefetch = settings.integer(key::kPrefetchFactor);
    loader.num_workers = settings.integer(key::kNumWorkers);
    loader.prefetch_factor = prefetch == kPrefetchNotGiven ? kStandardPrefetch : prefetch;
    loader.pin_memory = settings.boolean(key::kPinMemory);
    loader.persistent_workers = settings.boolean(key::kPersistentWorkers);
    loader.batch_size = settings.integer(key::kBatchSize);
    data.samples = settings.integer("samples");
    // In units of float32, whatever the data type: only bytes matter here.
    data.sample_elements =
        static_cast<std::size_t>(settings.integer("sample_kib")) * 1024 / sizeof(float) / (half_input ? 2 : 1);
    data.load_ns = base::from_us(settings.real("load_ms") * 1e3);
    data.worker_start_ns = base::from_us(settings.real("worker_start_ms") * 1e3);
    data.seed = static_cast<std::uint64_t>(settings.integer("seed"));
  }

  LoaderOptions loader;
  LoaderData data;
  bool non_blocking;
  double model_us;
  std::uint64_t log_interval, accumulate;
  std::size_t tensors;
  bool autocast, half_input;
  std::string storage;
  double dispatch_us;
};

class DataLoaderTraining final : public EagerWorkload {
 public:
  explicit DataLoaderTraining(device::Device& device)
      : EagerWorkload(device, dataloader_info()),
        wait_ms_(figures().add("wait_ms", N_("next(loader)"), "ms")),
        epoch_ms_(figures().add("epoch_ms", N_("an epoch"), "ms")),
        epoch_start_ms_(figures().add("epoch_start_ms", N_("an epoch's first batch"), "ms")),
        step_ms_(figures().add("step_ms", N_("from one optimizer step to the next"), "ms")),
        h2d_mib_(figures().add("h2d_mib", N_("copied to the GPU per batch"), "MiB")),
        ram_mib_(figures().add("ram_mib", N_("host memory of outstanding batches"), "MiB")),
        outstanding_(figures().add("outstanding", N_("batches outstanding"), "")) {}

  void set_up(const Settings& settings) override;
  void iterate(std::uint64_t number, const Settings& settings) override;

 private:
  double ms_since(Nanoseconds start) { return base::to_us(now() - start) / 1e3; }
  bool adapted(const DataloaderOptions& o) const {
    const bool room = capacity_ >= elements_of(o) && (!o.autocast || half_capacity_ >= capacity_);
    return loader_ && loader_->options() == o.loader && room;
  }
  static std::size_t elements_of(const DataloaderOptions& o) {
    return static_cast<std::size_t>(o.loader.batch_size) * o.data.sample_elements;
  }
  void adapt(const DataloaderOptions& o);
  LoaderData data_of(const DataloaderOptions& o) const;
  HostTensor next_batch(const DataloaderOptions& o);
  void copy(const HostTensor& batch, const DataloaderOptions& o);
  void forward(std::size_t elements, const DataloaderOptions& o);
  void backward(const DataloaderOptions& o);
  void step();
  void spin(double us);

  const std::size_t wait_ms_, epoch_ms_, epoch_start_ms_, step_ms_, h2d_mib_, ram_mib_, outstanding_;
  std::optional<Loader> loader_;
  Tensor batch_, half_, loss_, weight_, half_weight_, weight_grad_, new_weight_grad_;
  std::size_t capacity_ = 0;       // capacity of batch_, in elements
  std::size_t half_capacity_ = 0;  // capacity of half_, used with autocast
  bool has_grads_ = false;
  int cached_epochs_ = 0;  // epochs begun with a cache
  Nanoseconds epoch_began_ns_ = 0;
  std::optional<Nanoseconds> stepped_ns_;
};

void DataLoaderTraining::set_up(const Settings& settings) {
  check_dataloader(settings);
  const DataloaderOptions o(settings);
  eager_.set_dispatch_us(o.dispatch_us);
  const Phase phase(eager_, "set up");
  loss_ = eager_.tensor(1);
  for (Tensor* t : {&weight_, &half_weight_, &weight_grad_, &new_weight_grad_}) *t = eager_.tensor(kParameters);
  adapt(o);
  eager_.synchronize();
}

void DataLoaderTraining::adapt(const DataloaderOptions& o) {
  if (!loader_ || !(loader_->options() == o.loader)) {
    if (loader_) loader_->shut_down();
    loader_.emplace(eager_, o.loader, o.data.seed);
  }
  if (capacity_ < elements_of(o)) {
    capacity_ = elements_of(o);
    batch_ = eager_.tensor(capacity_);
  }
  if (o.autocast && half_capacity_ < capacity_) {
    half_capacity_ = capacity_;
    half_ = eager_.tensor(half_capacity_);
  }
}

LoaderData DataLoaderTraining::data_of(const DataloaderOptions& o) const {
  LoaderData data = o.data;
  const bool from_cache = o.storage == "cached" && cached_epochs_ > 1;
  const double share = o.storage == "tarred" ? kTarredShare : from_cache ? kCachedShare : 1;
  data.load_ns = static_cast<Nanoseconds>(static_cast<double>(data.load_ns) * share + 0.5);
  return data;
}

HostTensor DataLoaderTraining::next_batch(const DataloaderOptions& o) {
  const bool first = loader_->at_end();
  if (first) {
    const Phase phase(eager_, "iter(loader)");
    epoch_began_ns_ = now();
    cached_epochs_ = o.storage == "cached" ? cached_epochs_ + 1 : 0;
    loader_->begin_epoch(data_of(o));
  }
  const Phase phase(eager_, "next(loader)");
  const Nanoseconds asked = now();
  const HostTensor batch = loader_->next(data_of(o));
  figures().sample(wait_ms_, ms_since(asked));
  if (first) figures().sample(epoch_start_ms_, ms_since(epoch_began_ns_));
  figures().sample(outstanding_, static_cast<double>(loader_->outstanding()));
  figures().sample(ram_mib_, static_cast<double>(loader_->outstanding_bytes()) / (1024.0 * 1024.0));
  return batch;
}

void DataLoaderTraining::spin(double us) {
  if (us > 0) eager_.launch(Op{OpKind::Spin, 1, 1, 1, static_cast<float>(us)}, {});
}

// A batch of several tensors is copied tensor by tensor.
void DataLoaderTraining::copy(const HostTensor& batch, const DataloaderOptions& o) {
  const Phase phase(eager_, "copy");
  const std::size_t each = (batch.elements + o.tensors - 1) / o.tensors;
  for (std::size_t first = 0; first < batch.elements; first += each) {
    eager_.copy_part_to_device(batch_, batch, first, std::min(each, batch.elements - first), o.non_blocking);
  }
  figures().sample(h2d_mib_, static_cast<double>(batch.elements * sizeof(float)) / (1024.0 * 1024.0));
  eager_.drop(batch);
}

void DataLoaderTraining::forward(std::size_t elements, const DataloaderOptions& o) {
  const Phase phase(eager_, "forward");
  if (o.autocast) {  // converts the weights, and the input unless it is already in half precision
    if (!o.half_input) {
      eager_.launch(Op{OpKind::Scale, static_cast<std::int32_t>(elements), 1, 1, 1.0f}, {batch_, half_});
    }
    eager_.launch(Op{OpKind::Scale, kParameters, 1, 1, 1.0f}, {weight_, half_weight_});
  }
  spin(o.model_us * kForwardShare);
}

// The first gradients after zero_grad() become .grad directly; further ones are added.
void DataLoaderTraining::backward(const DataloaderOptions& o) {
  const Phase phase(eager_, "backward");
  const Backward inside(eager_);
  if (o.accumulate > 1) eager_.launch(Op{OpKind::Scale, 1, 1, 1, 1 / static_cast<float>(o.accumulate)}, {loss_, loss_});
  spin(o.model_us * (1 - kForwardShare));
  if (has_grads_) eager_.launch(Op{OpKind::AddInPlace, kParameters, 1}, {weight_grad_, new_weight_grad_});
  has_grads_ = true;
}

void DataLoaderTraining::step() {
  const Phase phase(eager_, "step");
  eager_.launch(Op{OpKind::SgdStep, kParameters, 1, 1, kLoaderLearningRate}, {weight_, weight_grad_});
  has_grads_ = false;  // zero_grad() drops them, which takes no kernel
  if (stepped_ns_) figures().sample(step_ms_, ms_since(*stepped_ns_));
  stepped_ns_ = now();
}

void DataLoaderTraining::iterate(std::uint64_t number, const Settings& settings) {
  const DataloaderOptions o(settings);
  eager_.set_dispatch_us(o.dispatch_us);
  if (!adapted(o)) {
    check_dataloader(settings);
    const Phase phase(eager_, "new loader");
    adapt(o);
  }
  const HostTensor batch = next_batch(o);
  copy(batch, o);
  forward(batch.elements, o);
  backward(o);
  if ((number + 1) % o.accumulate == 0) step();
  if (o.log_interval != 0 && number % o.log_interval == 0) {
    const Phase phase(eager_, "item()", trace::RangeKind::Read);
    eager_.item(loss_);
  }
  if (loader_->at_end()) figures().sample(epoch_ms_, ms_since(epoch_began_ns_));
}

SettingSpec whole(const char* key, std::string label, std::string help, std::int64_t standard, double minimum,
                  double maximum) {
  return {.key = key,
          .label = std::move(label),
          .help = std::move(help),
          .type = SettingType::Integer,
          .standard = standard,
          .minimum = minimum,
          .maximum = maximum};
}

SettingSpec yes_or_no(const char* key, std::string label, std::string help) {
  return {.key = key, .label = std::move(label), .help = std::move(help), .type = SettingType::Bool, .standard = false};
}

SettingSpec one_of(const char* key, std::string label, std::string help, std::vector<std::string> choices) {
  return {.key = key,
          .label = std::move(label),
          .help = std::move(help),
          .type = SettingType::Choice,
          .standard = choices.front(),
          .choices = choices};
}

SettingSpec milliseconds(const char* key, std::string label, std::string help, double standard, double maximum) {
  return {.key = key,
          .label = std::move(label),
          .help = std::move(help),
          .type = SettingType::Real,
          .standard = standard,
          .minimum = 0,
          .maximum = maximum,
          .unit = "ms"};
}

}  // namespace

WorkloadInfo dataloader_info() {
  return {
      .name = "dataloader",
      .title = N_("Feeding the GPU from a DataLoader"),
      .summary = N_("Workers load batches ahead of a model on the GPU. With too few of them, or none, the GPU waits "
                    "for data; more prefetching only fills host memory. Each epoch starts with an empty queue: "
                    "persistent workers save the time to start them, but not the wait for the first batch."),
      .experiments = N_("P27, P28, S1-accumulate, S1-mixed-precision, S1-storage"),
      .published = {{N_("non_blocking"), N_("GPU use +10 to 30 % (expected)")},
                    {N_("prefetch_factor 2, then 4"), N_("GPU use +20 to 30 % (expected)")},
                    {N_("pin_memory"), N_("copies 2 to 3 times as fast (expected)")},
                    {N_("persistent_workers"), N_("epoch change -10 to 20 % (expected)")},
                    {N_("all together"), N_("training +30 to 50 % (expected)")}},
      .code = shown_code(write_dataloader, dataloader_settings({})),
      .computes_values = false,
  };
}

Settings dataloader_settings(const device::DeviceInfo& device) {
  SettingSpec prefetch =
      whole(key::kPrefetchFactor, N_("Prefetch factor"),
            N_("Batches that each worker loads ahead; 0: not given, PyTorch then uses 2. Needs workers."), 0, 0, 64);
  SettingSpec samples =
      whole("samples", N_("Samples per epoch"),
            N_("The size of the data set; a change takes effect at the next epoch."), 512, 1, 1'000'000);
  samples.logarithmic = true;
  SettingSpec sample_kib =
      whole("sample_kib", N_("Sample size"), N_("588 KiB is 3 x 224 x 224 float32."), 588, 1, 4096);
  sample_kib.unit = "KiB";
  sample_kib.logarithmic = true;
  SettingSpec batch_size = batch_size_setting({.standard = 8, .maximum = 1024});
  batch_size.help = N_("Samples per batch; a change makes a new loader.");
  SettingSpec num_workers =
      whole(key::kNumWorkers, N_("Workers"),
            N_("Threads that load batches; 0: the program's own thread loads each batch when it needs it."), 4, 0, 64);
  num_workers.sweep_priority = 2;
  return Settings({
      std::move(num_workers),
      std::move(prefetch),
      yes_or_no(key::kPinMemory, N_("Pin memory"),
                N_("One more thread copies each batch into page-locked memory, from which the GPU copies directly.")),
      yes_or_no(key::kPersistentWorkers, N_("Persistent workers"),
                N_("Workers stay alive from epoch to epoch instead of being restarted. Needs workers.")),
      non_blocking_setting(),
      std::move(batch_size),
      milliseconds("load_ms", N_("Load time"),
                   N_("Time to load one sample from a file of its own, give or take a tenth."), 4, 1000),
      one_of(
          "storage", N_("Storage"),
          N_("Where samples come from. Assumed, not measured: tarred takes three quarters of the load time (no file is "
             "opened for each sample); cached takes a quarter from the second epoch on (the first one fills the "
             "cache)."),
          {"files", "tarred", "cached"}),
      one_of("input", N_("Type of the input"),
             N_("What the dataset gives. Samples of float16 have half the bytes, in host memory and on the link."),
             {"float32", "float16"}),
      whole("tensors", N_("Tensors per batch"),
            N_("A batch is a dictionary of this many tensors of one size; each is copied by a .to() of its own."), 1, 1,
            64),
      std::move(sample_kib),
      std::move(samples),
      milliseconds("worker_start_ms", N_("Worker start"), N_("Time to start one worker."), 60, 10'000),
      milliseconds("model_ms", N_("Model time"), N_("GPU time of a batch, forward and backward."), 8, 1000),
      yes_or_no("autocast", N_("Autocast"),
                N_("Mixed precision (16-mixed): the input and the weights are cast to half precision on the GPU, after "
                   "the copy. What the model itself gains is not modelled: set the model time.")),
      whole("accumulate", N_("Accumulated batches"),
            N_("The optimizer makes a step after this many batches; their gradients are added up until then."), 1, 1,
            1024),
      log_interval_setting(10),
      dispatch_setting(device),
      seed_setting(),
  });
}

void check_dataloader(const Settings& settings) {
  const std::int64_t workers = settings.integer(key::kNumWorkers);
  const std::int64_t given = settings.integer(key::kPrefetchFactor);
  if (workers == 0 && given != kPrefetchNotGiven) {
    throw base::UsageError(
        tr("prefetch_factor={} with num_workers=0: prefetch_factor could only be specified in "
           "multiprocessing; allowed: num_workers > 0, or prefetch_factor=0 (not given)",
           given));
  }
  if (workers == 0 && settings.boolean(key::kPersistentWorkers)) {
    throw base::UsageError(
        tr("persistent_workers=true with num_workers=0: persistent_workers option needs "
           "num_workers > 0; allowed: num_workers > 0, or persistent_workers=false"));
  }
  const std::int64_t prefetch = given == kPrefetchNotGiven ? kStandardPrefetch : given;
  const std::int64_t batches = std::max<std::int64_t>(1, workers * prefetch) + 1;  // and the current one
  const std::int64_t copies = settings.boolean(key::kPinMemory) ? 2 : 1;
  const std::int64_t mib = batches * copies * settings.integer(key::kBatchSize) * settings.integer("sample_kib") / 1024;
  if (mib > kMostMib) {
    throw base::UsageError(
        tr("num_workers={} prefetch_factor={} batch_size={} sample_kib={}: the batches take {} MiB of host "
           "memory; at most {} are allowed",
           workers, prefetch, settings.integer(key::kBatchSize), settings.integer("sample_kib"), mib, kMostMib));
  }
}

// An epoch begins with an empty queue. Its wait for the first batch matters if it is a hundredth of the epoch.
std::int64_t dataloader_period(const Settings& settings) {
  constexpr double kMatters = 0.01;
  const std::int64_t batch = settings.integer(key::kBatchSize);
  const std::int64_t epoch = (settings.integer("samples") + batch - 1) / batch;
  const double wait_ms = settings.real("worker_start_ms") + settings.real("load_ms") * static_cast<double>(batch);
  const bool matters = wait_ms > kMatters * settings.real("model_ms") * static_cast<double>(epoch);
  return std::max({matters ? epoch : 1, settings.integer("accumulate"), reads_period(settings)});
}

std::unique_ptr<Workload> make_dataloader(device::Device& device) {
  return std::make_unique<DataLoaderTraining>(device);
}

// --- the program -----------------------------------------------------------------------------------------------------

namespace {

// Workers sleep as long as a sample takes to load, and copy its numbers.
void write_samples(CodeWriter& code) {
  code.script(0, fmt::format(R"(
SHARE = {{'files': 1, 'tarred': {}, 'cached': {}}}  # of the load time; cached: from the second epoch on

class Samples(Dataset):
    def __init__(self, storage, dtype):
        self.storage = storage
        self.source = torch.rand($sample_kib * 256).to(dtype)
        self.epoch = torch.zeros(1, dtype=torch.int64).share_memory_()  # the workers see it, too

    def __len__(self):
        return $samples

    def __getitem__(self, index):
        first = self.storage == 'cached' and self.epoch.item() <= 1
        time.sleep($load_ms / 1e3 * (1 if first else SHARE[self.storage]) * random.uniform(0.9, 1.1)))",
                             kTarredShare, kCachedShare));
  if (code.settings().integer("tensors") == 1) {
    code.script(2, "return self.source.clone()");
  } else {
    code.script(2, "return {str(k): t.clone() for k, t in enumerate(self.source.chunk($tensors))}");
  }
  code.script(0, "\n");
}

void write_work(CodeWriter& code, bool autocast, bool several) {
  write_busy(code);
  code.script(0, R"(
class Work(torch.autograd.Function):
    @staticmethod
    def forward(ctx, weight):
        ctx.save_for_backward(weight)
        busy(1e3 * $model_ms / 3)
        return torch.zeros((), device=weight.device)

    @staticmethod
    def backward(ctx, grad):
        busy(1e3 * $model_ms * 2 / 3)  # about twice the forward pass
        return torch.empty_like(ctx.saved_tensors[0])

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(1_000_000))

    def forward(self, x):)");
  if (autocast) {
    code.script(2, several ? "[t.half() for t in x.values()]" : "x.half()");
    code.script(2, "self.weight.detach().half()");
  }
  code.script(0, R"(        return Work.apply(self.weight)

)");
}

}  // namespace

void write_dataloader(CodeWriter& code) {
  const Settings& s = code.settings();
  const bool several = s.integer("tensors") != 1, accumulates = s.integer("accumulate") > 1;
  const bool autocast = s.boolean("autocast");
  const bool prefetch = s.integer(key::kPrefetchFactor) != kPrefetchNotGiven;

  begin_script(code, "import math\nimport random", "from torch.utils.data import DataLoader, Dataset");
  write_samples(code);
  write_work(code, autocast, several);
  code.line(0, "dataset = Samples('$storage', dtype=torch.$input)");
  code.line(0, "loader = DataLoader(dataset, batch_size=$batch_size,",
            {"set up", "new loader", "start worker", "load batch", "pin batch"});
  code.more(2, prefetch ? "num_workers=$num_workers, prefetch_factor=$prefetch_factor, pin_memory=$pin_memory,"
                        : "num_workers=$num_workers, pin_memory=$pin_memory,");
  code.more(2, "persistent_workers=$persistent_workers)");
  code.script(0, R"(model = Model().cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
epochs = math.ceil(iterations / len(loader))
i, stepped = 0, None)");
  code.line(0, "for epoch in range(epochs):");
  code.script(1, "dataset.epoch += 1\nepoch_began = asked = time.perf_counter()\nfirst = True");
  code.line(1, "for x in loader:", {"next(loader)", "iter(loader)"});
  begin_iteration(code, 2);
  code.script(2, R"(note('wait_ms', 1e3 * (time.perf_counter() - asked))
if first:
    note('epoch_start_ms', 1e3 * (time.perf_counter() - epoch_began))
first = False)");
  code.script(
      2, several ? "note('h2d_mib', sum(t.nbytes for t in x.values()) / 2**20)" : "note('h2d_mib', x.nbytes / 2**20)");
  code.line(2,
            several ? "x = {k: t.to('cuda', non_blocking=$non_blocking) for k, t in x.items()}"
                    : "x = x.to('cuda', non_blocking=$non_blocking)",
            {"copy"});
  if (autocast) code.line(2, "with torch.autocast('cuda', torch.float16):");
  code.line(autocast ? 3 : 2, "loss = model(x)", {"forward"});
  code.line(2, accumulates ? "(loss / $accumulate).backward()" : "loss.backward()", {"backward"});
  const int steps = accumulates ? 3 : 2;
  if (accumulates) code.line(2, "if (i + 1) % $accumulate == 0:");
  code.line(steps, "optimizer.step()", {"step"});
  code.more(steps, "optimizer.zero_grad()  # lets .grad go: no kernel");
  code.script(steps, R"(now = time.perf_counter()
if stepped:
    note('step_ms', 1e3 * (now - stepped))
stepped = now)");
  if (s.integer(key::kLogInterval) != 0) {
    code.line(2, "if i % $log_interval == 0:");
    code.line(3, "value = loss.item()", {"item()"});
  }
  code.line(2, "i += 1");
  code.script(2, "if i == iterations:\n    break\nasked = time.perf_counter()");
  code.script(1, "else:\n    note('epoch_ms', 1e3 * (time.perf_counter() - epoch_began))");
  code.synchronize(0);
  end_script(code);
}

}  // namespace lanescope::workload
