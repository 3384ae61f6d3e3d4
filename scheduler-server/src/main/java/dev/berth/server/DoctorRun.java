package dev.berth.server;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.berth.core.api.DoctorView;
import dev.berth.server.cgroup.LimitedCgroups;
import dev.berth.server.config.Configuration;
import dev.berth.server.config.Keys;
import dev.berth.server.config.Settings;
import dev.berth.server.doctor.ExaminedServer;
import dev.berth.server.doctor.MachineExamination;
import dev.berth.server.doctor.NoticeWays;
import dev.berth.server.gpu.GpuInventory;
import dev.berth.server.linux.FileStatus;
import dev.berth.server.linux.Users;
import dev.berth.server.notify.CommandRules;
import dev.berth.server.notify.NotifyRules;
import dev.berth.server.profile.Profiles;
import dev.berth.server.runner.docker.ContainerEngine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Examines this machine for a command that reads along: a finding a line as JSON, and at the end all that was found. */
final class DoctorRun {
    /** The word that the command says beside a server's options: the GPUs that jobs have now, by UUIDs with commas. */
    private static final String HELD = "held=";

    /** The same for background work of the server that does not succeed, in words for people. */
    private static final String FAILING = "failing=";

    private DoctorRun() {}

    /** The words without those that are for the examination alone. */
    static List<String> options(List<String> words) {
        return words.stream()
                .filter(word -> !word.startsWith(HELD) && !word.startsWith(FAILING))
                .toList();
    }

    static void run(
            List<String> words,
            Configuration configuration,
            Supplier<GpuInventory> gpus,
            Supplier<ContainerEngine> engine,
            Consumer<String> lines) {
        Set<String> held = new HashSet<>();
        for (String word : words) {
            if (word.startsWith(HELD)) {
                held.addAll(List.of(word.substring(HELD.length()).split(",")));
            }
        }
        List<String> failing = words.stream()
                .filter(word -> word.startsWith(FAILING))
                .map(word -> word.substring(FAILING.length()))
                .toList();
        Settings settings = configuration.settings();
        ExaminedServer examined = new ExaminedServer(
                settings.get(Keys.GPU_MODE),
                settings.get(Keys.JOB_IMAGE),
                settings.get(Keys.DATA_DIRECTORY),
                configuration.files(),
                Profiles.of(settings),
                settings.simulatesGpus(),
                held,
                failing,
                new NoticeWays(
                        settings.get(Keys.NOTIFY),
                        settings.find(Keys.MAIL_SERVER),
                        settings.get(Keys.MAIL_PORT),
                        () -> commands(settings.get(Keys.NOTIFY_COMMANDS)).whyNone()),
                gpus,
                engine);
        String path = Map.copyOf(System.getenv()).getOrDefault("PATH", "");
        DoctorView view = MachineExamination.here(path, examined, finding -> lines.accept(json(finding)))
                .examine();
        lines.accept(json(view));
    }

    /** As a server has them that runs as who asks. */
    private static CommandRules commands(boolean isOn) {
        try {
            long uid = FileStatus.of(Path.of("/proc/" + ProcessHandle.current().pid()))
                    .owner();
            LimitedCgroups.Server server =
                    new LimitedCgroups.Server("doctor" + ProcessHandle.current().pid(), uid, Path.of("/proc"), _ -> {});
            return new CommandRules(
                    isOn, LimitedCgroups.ofThisMachine(server, NotifyRules.COMMAND_LIMITS), uid, new Users());
        } catch (IOException e) {
            return CommandRules.none("/proc cannot be read: " + e.getMessage());
        }
    }

    private static String json(Record view) {
        try {
            return new ObjectMapper().writeValueAsString(view);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a record is always JSON", e);
        }
    }
}
