package dev.berth.server.runner.docker;

import dev.berth.server.log.LogSink.Stream;
import dev.berth.server.runner.EngineException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.stream.Collectors;

class FakeContainerEngineTest extends ContainerEngineContract {
    @Override
    ContainerEngine connect() {
        return new FakeContainerEngine(InstantSource.system(), FakeContainerEngineTest::perform).withImage(image());
    }

    @Override
    String image() {
        return "some-image:latest";
    }

    private static void perform(FakeContainerEngine engine, ContainerPlan plan) {
        if (plan.mounts().stream().anyMatch(mount -> Files.isRegularFile(mount.source()))) {
            throw new EngineException(EngineException.Kind.REFUSED, "not a directory");
        }
        if (plan.command().equals(ENDS_WITH_3)) {
            engine.end(plan.name(), 3);
        } else if (plan.command().equals(WRITES)) {
            engine.print(plan.name(), Stream.OUT, "out\n");
            engine.print(plan.name(), Stream.ERR, "err\n");
            engine.print(plan.name(), Stream.OUT, "last");
            engine.end(plan.name(), 0);
        } else if (plan.command().equals(WRITES_BYTES)) {
            engine.print(plan.name(), Stream.OUT, bytes("a\u00ff\u00feb\u00c3\u00a9\0c\r d\n"));
            engine.print(plan.name(), Stream.OUT, bytes("x".repeat(16_383)));
            engine.print(plan.name(), Stream.OUT, bytes("\u00c3\u00a9y\n\u00ed\u00a0\u0080\n\u00ef\u00bf\u00bd\u00c2"));
            engine.print(plan.name(), Stream.ERR, bytes("\u00e4\u00b8!"));
            engine.end(plan.name(), 0);
        } else if (plan.command().equals(WRITES_HALVES)) {
            engine.print(plan.name(), Stream.OUT, "half");
            engine.print(plan.name(), Stream.ERR, "whole\n");
            engine.print(plan.name(), Stream.OUT, "rest");
            engine.end(plan.name(), 0);
        } else if (plan.command().equals(EATS_MEMORY)) {
            engine.end(plan.name(), 137, plan.limits().memoryBytes() > 0);
        } else if (!plan.command().equals(RUNS_ON)) {
            engine.print(plan.name(), Stream.OUT, said(plan) + "\n");
            engine.end(plan.name(), 0);
        }
    }

    private static byte[] bytes(String bytes) {
        return bytes.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** What programs see of their plan. */
    private static String said(ContainerPlan plan) {
        if (plan.command().equals(TELLS_SHM)) {
            return Long.toString(plan.limits().shmBytes() >> 10);
        }
        if (plan.command().equals(TELLS_CPU)) {
            return Long.toString(plan.limits().cpuMilli() * 100);
        }
        if (plan.command().equals(TELLS_SHARES)) {
            return plan.limits().nice() == 19 ? "15 of 262144" : "?";
        }
        if (plan.command().equals(TELLS_CORES)) {
            List<Integer> cores = plan.limits().cpus();
            return cores.size() + "\nCpus_allowed_list:\t"
                    + cores.stream().map(String::valueOf).collect(Collectors.joining(","));
        }
        if (plan.command().equals(TELLS_NETWORK)) {
            return plan.network().equals("none") ? "lo" : "eth0\nlo";
        }
        return plan.command().equals(TELLS_DIRECTORY)
                ? plan.workingDirectory()
                : note(plan.mounts().getFirst());
    }

    private static String note(ContainerPlan.Mount mount) {
        Path note = mount.source().resolve("note");
        try {
            String text = Files.readString(note);
            if (mount.readOnly()) {
                return text + "refused";
            }
            Files.writeString(note, "more\n");
            return text.strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
