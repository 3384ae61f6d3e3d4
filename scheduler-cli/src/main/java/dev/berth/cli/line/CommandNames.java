package dev.berth.cli.line;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Names of all commands, of one word or two. */
public final class CommandNames {
    /** All of them, grouped and in the order in which the help lists them. */
    public static final List<String> ALL = List.of(
            "server start",
            "server stop",
            "server status",
            "server pause",
            "server resume",
            "server backup",
            "server restore",
            "server check",
            "config show",
            "config check",
            "submit",
            "sweep expand",
            "sweep submit",
            "run",
            "lease",
            "ps",
            "top",
            "status",
            "explain",
            "logs",
            "events",
            "history",
            "metrics",
            "params",
            "artifacts",
            "best",
            "compare",
            "export",
            "tag",
            "projects",
            "projects rename",
            "projects delete",
            "projects notes",
            "wait",
            "cancel",
            "hold",
            "release",
            "resubmit",
            "get",
            "delete",
            "gpus",
            "gpus drain",
            "gpus resume",
            "profiles",
            "targets",
            "doctor",
            "open",
            "notify add",
            "notify list",
            "notify test",
            "notify remove",
            "token create",
            "token list",
            "token revoke",
            "completion");

    /** The commands that end, remove or overwrite something: they are never suggested for a mistyped one. */
    public static final Set<String> ENDING = Set.of(
            "server stop",
            "server restore",
            "cancel",
            "delete",
            "projects delete",
            "gpus drain",
            "token revoke",
            "notify remove");

    private CommandNames() {}

    /** The second words of the commands that begin with this word; none where it is a command by itself, or nothing. */
    public static List<String> behind(String first) {
        List<String> words = new ArrayList<>();
        for (String name : ALL) {
            if (name.startsWith(first + " ")) {
                words.add(name.substring(first.length() + 1));
            }
        }
        return words;
    }
}
