package dev.berth.server.code;

import dev.berth.core.job.Submitter;
import java.util.stream.Collectors;

/** The user database a container sees: the submitter by name, so that what asks "who am I" gets an answer. */
public final class UserDatabase {
    private static final String SYSTEM_USERS = """
            root:x:0:0:root:/root:/bin/sh
            daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin
            nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin
            """;
    private static final String SYSTEM_GROUPS = """
            root:x:0:
            daemon:x:1:
            nogroup:x:65534:
            """;

    private UserDatabase() {}

    /** The submitter's home in the container. */
    public static String home(Submitter user) {
        return user.isRoot() ? "/root" : "/home/" + user.name();
    }

    static String passwd(Submitter user) {
        return user.isRoot()
                ? SYSTEM_USERS
                : SYSTEM_USERS + "%s:x:%d:%d::%s:/bin/sh%n".formatted(user.name(), user.uid(), user.gid(), home(user));
    }

    static String group(Submitter user) {
        String extra = user.groups().stream()
                .filter(gid -> gid != user.gid())
                .map(gid -> "g" + gid + ":x:" + gid + ":" + user.name() + "\n")
                .collect(Collectors.joining());
        return user.isRoot() ? SYSTEM_GROUPS : SYSTEM_GROUPS + "%s:x:%d:%n".formatted(user.name(), user.gid()) + extra;
    }
}
