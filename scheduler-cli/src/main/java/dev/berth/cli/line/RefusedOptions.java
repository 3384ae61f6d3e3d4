package dev.berth.cli.line;

import org.jspecify.annotations.Nullable;

/** Options that a user of Docker types, and that Berth never takes: what to do instead. */
final class RefusedOptions {
    private RefusedOptions() {}

    /** The words on the option, as the end of a sentence; null where there is nothing special to say. */
    static @Nullable String of(String command, String option) {
        if (command.equals("submit")) {
            return ofSubmit(option);
        }
        return option.equals("-v") ? "use --verbose to see what is being done" : null;
    }

    private static @Nullable String ofSubmit(String option) {
        return switch (option) {
            case "--gpus" -> "use --num-gpus N; which ones is for the queue to say";
            case "-d", "--detach" -> "jobs always run in the background; --follow stays and shows the log";
            case "-i", "-t", "-it", "-ti", "--interactive", "--tty" -> "a job has no terminal; --follow shows its log";
            case "--rm" -> "a job's container is always removed; its log and output are kept";
            case "-u", "--user" -> "a job runs as the user who submits it";
            case "--device" -> "a job sees the GPUs it asks for by --num-gpus and no other device";
            case "--runtime" -> "the server chooses the runtime by --num-gpus";
            case "--privileged", "--cap-add", "--security-opt" -> "a job never has more rights than its submitter";
            case "--pid", "--ipc", "--uts", "--userns", "--cgroupns" ->
                option.equals("--ipc")
                        ? "a job never shares the machine's namespaces; --shm-size makes its /dev/shm larger"
                        : "a job never shares the machine's namespaces";
            case "--restart" -> "a program is started once; --requeue has it queued again when the machine loses it";
            default -> null;
        };
    }
}
