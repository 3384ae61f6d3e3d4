package dev.berth.server.code;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The symbolic links of one snapshot, followed step by step as the kernel does (path_resolution(7)). The text of one
 * alone does not tell where it leads: {@code a/..} is not here where {@code a} is a link too. Lives on one thread.
 */
final class SnapshotLinks {
    /** The number of links that Linux follows before it says ELOOP. */
    private static final int MAX_FOLLOWED = 40;

    /** Far more than any real directory takes, and done in a second or two. */
    private static final long MAX_STEPS = 10_000_000;

    private final Map<String, String> targets = new HashMap<>();
    private long steps;

    void add(String path, String target) {
        targets.put(path, target);
    }

    /**
     * To be called behind the last entry, as links may come in any order; none may lie below another.
     *
     * @throws SnapshotException naming a link that leads out
     */
    void requireInside() throws SnapshotException {
        for (Map.Entry<String, String> link : targets.entrySet()) {
            if (!staysInside(link.getKey(), link.getValue())) {
                throw SnapshotException.malformed("the link '" + Names.shown(link.getKey())
                        + "' leads out of the directory, to '" + Names.shown(link.getValue()) + "'");
            }
        }
    }

    private boolean staysInside(String path, String target) throws SnapshotException {
        List<String> here = new ArrayList<>(List.of(path.split("/", -1)));
        here.removeLast();
        Deque<String> rest = new ArrayDeque<>();
        enter(target, rest);
        int followed = 1;
        while (!rest.isEmpty()) {
            if (++steps > MAX_STEPS) {
                throw SnapshotException.malformed("the links are too many and too tangled to follow");
            }
            String step = rest.removeFirst();
            if (step.equals("..")) {
                if (here.isEmpty()) {
                    return false;
                }
                here.removeLast();
                continue;
            }
            here.add(step);
            String next = targets.get(String.join("/", here));
            if (next != null) {
                here.removeLast();
                enter(next, rest);
                if (++followed > MAX_FOLLOWED) {
                    // A loop leads nowhere, so it does not lead out.
                    return true;
                }
            }
        }
        return true;
    }

    private static void enter(String target, Deque<String> rest) {
        String[] parts = target.split("/", -1);
        for (int part = parts.length - 1; part >= 0; part--) {
            if (!parts[part].isEmpty() && !parts[part].equals(".")) {
                rest.addFirst(parts[part]);
            }
        }
    }
}
