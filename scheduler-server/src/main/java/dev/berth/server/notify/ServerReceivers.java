package dev.berth.server.notify;

import dev.berth.core.job.Notification;
import dev.berth.server.store.Notice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** The operator's file of receivers that are told of everybody's jobs. Errors name a line by its number, and not by its text. */
public final class ServerReceivers {
    private static final int MAX = 20;
    private static final Set<PosixFilePermission> OF_OTHERS = EnumSet.of(
            PosixFilePermission.GROUP_READ,
            PosixFilePermission.GROUP_WRITE,
            PosixFilePermission.OTHERS_READ,
            PosixFilePermission.OTHERS_WRITE);

    private ServerReceivers() {}

    /** The receivers in a file, which all may be sent to; empty lines and those that begin with {@code #} do not count. */
    public static List<Notification> read(Path file, NotifyRules rules) throws IOException {
        List<String> lines;
        try {
            if (!Collections.disjoint(Files.getPosixFilePermissions(file), OF_OTHERS)) {
                throw new IOException(file + " can be read or changed by others; run: chmod 600 " + file);
            }
            lines = Files.readAllLines(file);
        } catch (NoSuchFileException e) {
            throw new IOException("there is no file " + file, e);
        }
        List<Notification> receivers = new ArrayList<>();
        for (int number = 1; number <= lines.size(); number++) {
            String line = lines.get(number - 1).strip();
            if (!line.isEmpty() && !line.startsWith("#")) {
                receivers.add(read(line, file + ": line " + number, rules));
            }
        }
        if (receivers.size() > MAX) {
            throw new IOException(file + ": has " + receivers.size() + " receivers, and at most " + MAX + " may be");
        }
        return receivers;
    }

    private static Notification read(String line, String place, NotifyRules rules) throws IOException {
        try {
            Notification wish = Notification.parse(line);
            if (Receiver.parse(wish.receiver()) instanceof Receiver.Command) {
                throw new IllegalArgumentException(
                        "names a command, and none is run with the rights of the server; have a user of this machine follow"
                                + " everybody's events (berth events -f), or name a web address on it and allow that"
                                + " (notify.allow)");
            }
            rules.objection(wish, Notice.SERVER, true).ifPresent(rule -> {
                throw new IllegalArgumentException(rule);
            });
            return wish;
        } catch (IllegalArgumentException e) {
            throw new IOException(place + " " + e.getMessage(), e);
        }
    }
}
