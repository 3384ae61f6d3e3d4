package dev.berth.cli.command;

import dev.berth.cli.exit.Failure;
import java.util.ArrayList;
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
            "gpus",
            "token create",
            "token list",
            "token revoke");

    /** First words that need a second one. */
    static final List<String> GROUPS = List.of("server", "token");

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
            case "token create" -> new TokenCreate();
            case "token list" -> new Tokens();
            case "token revoke" -> new TokenRevoke();
            default -> throw unknown(name);
        };
    }

    /** The second words of a group. */
    static List<String> ofGroup(String group) {
        List<String> words = new ArrayList<>();
        for (String name : NAMES) {
            if (name.startsWith(group + " ")) {
                words.add(name.substring(group.length() + 1));
            }
        }
        return words;
    }

    private static Failure unknown(String name) {
        return Failure.usage(
                "unknown command " + name + Nearest.question(name, NAMES) + " berth --help lists them all");
    }
}
