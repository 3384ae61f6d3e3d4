package dev.berth.cli.command;

import dev.berth.cli.exit.Failure;
import java.util.List;

/** All commands by name. A verb's object is made only when it is asked for. */
final class Verbs {
    /** The names, grouped and in the order in which the help lists them. */
    static final List<String> NAMES = List.of(
            "server start",
            "server stop",
            "server status",
            "submit",
            "ps",
            "status",
            "explain",
            "logs",
            "wait",
            "cancel",
            "gpus");

    /** First words that need a second one. */
    static final String GROUP = "server";

    private Verbs() {}

    static Verb of(String name) {
        return switch (name) {
            case "server start" -> new ServerStart();
            case "server stop" -> new ServerStop();
            case "server status" -> new ServerStatus();
            case "submit" -> new Submit();
            case "ps" -> new Ps();
            case "status" -> new Status();
            case "explain" -> new Explain();
            case "logs" -> new Logs();
            case "wait" -> new Wait();
            case "cancel" -> new Cancel();
            case "gpus" -> new Gpus();
            default -> throw unknown(name);
        };
    }

    private static Failure unknown(String name) {
        return Failure.usage(
                "unknown command " + name + Nearest.question(name, NAMES) + " berth --help lists them all");
    }
}
