package dev.berth.server.http.route;

import dev.berth.core.api.DrainRequest;
import dev.berth.core.api.GpuList;
import dev.berth.core.api.GpuView;
import dev.berth.core.job.Gpu;
import dev.berth.core.job.GpuId;
import dev.berth.core.machine.Input;
import dev.berth.server.http.access.Access;
import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.http.exchange.Caller;
import dev.berth.server.http.exchange.Exchange;
import dev.berth.server.http.exchange.Json;
import dev.berth.server.http.exchange.Parameters;
import dev.berth.server.http.exchange.PrintableText;
import dev.berth.server.http.exchange.Router;
import dev.berth.server.http.exchange.TextTable;
import dev.berth.server.http.view.JobViews;
import dev.berth.server.http.view.UsageViews;
import dev.berth.server.usage.Resolution;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** {@code /gpus}: what there is, and which of it is in service. */
final class GpusResource {
    private static final int MAX_REASON = 256;

    private final ApiParts parts;
    private final JobViews views;
    private final UsageViews usages;
    private final Access access;

    GpusResource(ApiParts parts, JobViews views, UsageViews usages, Access access) {
        this.parts = parts;
        this.views = views;
        this.usages = usages;
        this.access = access;
    }

    void addTo(Router router) {
        router.add("GET", "/api/v1/gpus", (exchange, caller, _) -> list(exchange, caller));
        router.add("GET", "/api/v1/gpus/{gpu}/history", (exchange, _, in) -> history(exchange, in));
        router.add("POST", "/api/v1/gpus/{gpu}/drain", this::drain);
        router.add("POST", "/api/v1/gpus/{gpu}/resume", this::resume);
    }

    private void list(Exchange exchange, Caller caller) throws IOException {
        GpuList gpus = new GpuList(views.gpus(caller), parts.facts().simulated());
        if (!TextTable.isWanted(exchange)) {
            Json.answer(exchange, 200, gpus);
            return;
        }
        TextTable table = new TextTable("INDEX", "UUID", "NAME", "MIB", "JOBS");
        for (GpuView gpu : gpus.gpus()) {
            table.row(gpu.index(), gpu.uuid(), gpu.name(), gpu.memoryMiB(), standing(gpu));
        }
        table.answer(exchange);
    }

    private static Object standing(GpuView gpu) {
        List<String> jobs = gpu.holders().stream().map(GpuView.Holder::number).toList();
        boolean isFree = jobs.isEmpty() && gpu.cleaning() == null && gpu.obstacle() == null;
        String state = gpu.drain() != null ? "drained" : isFree ? "free" : jobs.isEmpty() ? "busy" : "";
        return jobs.isEmpty() ? state : state.isEmpty() ? jobs : jobs + " " + state;
    }

    private void history(Exchange exchange, Map<String, String> in) throws IOException {
        Gpu gpu = gpu(in.getOrDefault("gpu", ""));
        String word = exchange.query("resolution").orElse(Resolution.MINUTES.word());
        Resolution resolution = Resolution.parse(word)
                .orElseThrow(() -> ApiException.field("resolution", word, "must be seconds, minutes or hours"));
        int last = (int) Parameters.number(exchange, "last", resolution.shown(), 1, resolution.shown());
        Json.answer(exchange, 200, usages.history(gpu, resolution, last));
    }

    private void drain(Exchange exchange, Caller caller, Map<String, String> in)
            throws IOException, InterruptedException {
        access.requireOperator(caller);
        Gpu gpu = gpu(in.getOrDefault("gpu", ""));
        String reason = reason(Json.read(exchange.body(), DrainRequest.class).reason());
        change(now -> new Input.DrainGpu(now, gpu.id(), caller.name(), reason));
        answer(exchange, caller, gpu.id());
    }

    private void resume(Exchange exchange, Caller caller, Map<String, String> in)
            throws IOException, InterruptedException {
        access.requireOperator(caller);
        Gpu gpu = gpu(in.getOrDefault("gpu", ""));
        change(now -> new Input.ResumeGpu(now, gpu.id(), caller.name()));
        answer(exchange, caller, gpu.id());
    }

    private void change(Function<Instant, Input> input) throws InterruptedException {
        JobsResource.await(parts.scheduling().request(input));
    }

    private void answer(Exchange exchange, Caller caller, GpuId id) throws IOException {
        GpuView view = views.gpus(caller).stream()
                .filter(gpu -> gpu.uuid().equals(id.uuid()))
                .findFirst()
                .orElseThrow();
        Json.answer(exchange, 202, view);
    }

    private static String reason(@Nullable String reason) {
        String said = reason == null ? "" : reason.strip();
        if (said.length() > MAX_REASON || PrintableText.hasInvisible(said)) {
            throw ApiException.field(
                    "reason",
                    PrintableText.of(said),
                    "must be one line of at most " + MAX_REASON + " characters, without control characters");
        }
        return said;
    }

    /** By its index, its UUID, or the beginning of one that no other begins with. */
    private Gpu gpu(String name) {
        List<Gpu> all = parts.scheduling().machine().capacity().gpus();
        String wanted = name.toUpperCase(Locale.ROOT);
        List<Gpu> named = all.stream()
                .filter(gpu -> gpu.index().toString().equals(name)
                        || (wanted.length() > "GPU-".length()
                                && gpu.id().uuid().toUpperCase(Locale.ROOT).startsWith(wanted)))
                .toList();
        if (named.size() == 1) {
            return named.getFirst();
        }
        throw ApiException.of(
                404,
                "NO_SUCH_GPU",
                named.isEmpty()
                        ? "this server allocates no GPU '" + PrintableText.of(name) + "'" + migDevices(all, name)
                                + "; name it by its index or its UUID, as berth gpus shows them"
                        : "'" + PrintableText.of(name) + "' begins the UUIDs of " + named.size()
                                + " GPUs; write more of it");
    }

    private static String migDevices(List<Gpu> all, String name) {
        String parts = all.stream()
                .map(gpu -> gpu.index().toString())
                .filter(index -> index.startsWith(name + ":"))
                .collect(Collectors.joining(", "));
        return parts.isEmpty() ? "" : ", which is divided into MIG devices (" + parts + ")";
    }
}
