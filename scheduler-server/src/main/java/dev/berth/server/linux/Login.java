package dev.berth.server.linux;

import java.util.Set;

/**
 * A user as the machine's database describes their logins.
 *
 * @param home the directory, which need not be there
 * @param shell the path of the login shell; empty stands for {@code /bin/sh} (passwd(5))
 */
public record Login(String name, long uid, long gid, String home, String shell) {
    private static final Set<String> NONE = Set.of("nologin", "false");

    /** The path of the login shell. */
    public String shellOrUsual() {
        return shell.isEmpty() ? "/bin/sh" : shell;
    }

    /** Whether the user may run programs on the machine itself, as far as the login shell says. */
    public boolean hasShell() {
        return !NONE.contains(shell.substring(shell.lastIndexOf('/') + 1));
    }
}
