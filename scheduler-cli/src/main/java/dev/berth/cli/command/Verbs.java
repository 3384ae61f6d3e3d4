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
            "config show",
            "config check",
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

    private Verbs() {}

    /** The second words of the commands that begin with this word; none where it is a command by itself, or nothing. */
    static List<String> behind(String first) {
        List<String> words = new ArrayList<>();
        for (String name : NAMES) {
            if (name.startsWith(first + " ")) {
                words.add(name.substring(first.length() + 1));
            }
        }
        return words;
    }

    static Verb of(String name) {
        return switch (name) {
            case "server start" -> new ServerStart();
            case "server stop" -> new ServerStop();
            case "server status" -> new ServerStatus();
            case "config show" -> new ConfigShow();
            case "config check" -> new ConfigCheck();
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

    private static Failure unknown(String name) {
        return Failure.usage(
                "unknown command " + name + Nearest.question(name, NAMES) + " berth --help lists them all");
    }
}
