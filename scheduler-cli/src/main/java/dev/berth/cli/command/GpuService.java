package dev.berth.cli.command;

import dev.berth.cli.client.BerthClient;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.Shape;
import dev.berth.core.api.GpuList;
import dev.berth.core.api.GpuView;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** {@code berth gpus drain} and {@code berth gpus resume}: which GPUs are in service. */
record GpuService(boolean drained) implements Verb {
    private static final String REASON = "--reason";
    private static final String AFTER_CURRENT = "--after-current";
    private static final Duration LOOK_AGAIN = Duration.ofMillis(500);

    @Override
    public Shape shape() {
        return drained
                ? Shape.of(
                                "gpus drain",
                                "<gpu>...",
                                "Allocate nothing more on these GPUs, until berth gpus resume. A job that holds one"
                                        + " goes on.",
                                "A GPU is named by its index or its UUID. It stays drained over a restart of the"
                                        + " server.")
                        .value("TEXT", "Why, for everybody who asks.", REASON)
                        .flag("Return only once no job holds any of them.", AFTER_CURRENT)
                        .examples(
                                "berth gpus drain 0 --reason 'loud fan'",
                                "berth gpus drain 0 1 --after-current && sudo poweroff")
                : Shape.of("gpus resume", "<gpu>...", "Allocate drained GPUs again.", "")
                        .examples("berth gpus resume 0");
    }

    @Override
    public int run(Arguments arguments, Session session) throws IOException {
        if (arguments.words().isEmpty()) {
            throw Failure.usage("berth gpus " + (drained ? "drain" : "resume")
                    + " needs the index or the UUID of a GPU; berth gpus shows them");
        }
        BerthClient client = session.client();
        List<GpuView> changed = new ArrayList<>();
        int code = ExitCode.OK;
        arguments.words().forEach(GpuService::requireName);
        session.requireSame(client);
        for (String gpu : arguments.words()) {
            try {
                changed.add(drained ? client.drain(gpu, arguments.value(REASON)) : client.resumeGpu(gpu));
            } catch (Failure refused) {
                session.output().failure(refused);
                code = code == ExitCode.OK ? refused.exitCode() : code;
            }
        }
        List<GpuView> now = drained && arguments.has(AFTER_CURRENT) ? empty(changed, session) : changed;
        if (!now.isEmpty()) {
            session.tellServer();
            session.output().gpus(new GpuList(now, false));
        }
        return code;
    }

    private static void requireName(String word) {
        if (!word.matches("[A-Za-z0-9:-]{1,128}")) {
            throw Failure.usage("'" + word + "' is neither the index nor the UUID of a GPU; berth gpus shows them");
        }
    }

    /** The drained GPUs once nobody holds them any more. */
    private static List<GpuView> empty(List<GpuView> drained, Session session) throws IOException {
        List<String> uuids = drained.stream().map(GpuView::uuid).toList();
        List<GpuView> now = drained;
        while (now.stream().anyMatch(gpu -> !gpu.holders().isEmpty() || gpu.cleaning() != null)) {
            session.environment().pause().pause(LOOK_AGAIN);
            now = session.client().gpus().gpus().stream()
                    .filter(gpu -> uuids.contains(gpu.uuid()))
                    .toList();
        }
        return now;
    }
}
