package dev.berth.cli.command.submit;

import dev.berth.cli.client.WorkingDirectory;
import dev.berth.cli.exit.Failure;
import java.nio.file.InvalidPathException;
import java.util.ArrayList;
import java.util.List;

/** Directories of the machine for a job, as {@code -v} gives them. */
final class Volume {
    static final String FORM = "/source:/target, with :ro behind it for reading only";

    private static final String EXAMPLE = "/data/imagenet:/data:ro";

    private Volume() {}

    /** Each as the API writes it; {@code name} is that of the option. A source that is relative is made absolute from here. */
    static List<String> of(String name, List<String> given) {
        List<String> volumes = new ArrayList<>();
        for (String text : given) {
            volumes.add(one(name, text));
        }
        return volumes;
    }

    private static String one(String name, String text) {
        String[] parts = text.split(":", -1);
        if (parts.length < 2 || parts.length > 3 || parts[0].isEmpty()) {
            throw wrong(name, text, "is not of the form " + FORM);
        }
        if (!parts[1].startsWith("/")) {
            throw wrong(name, text, "has a target that is not absolute");
        }
        String mode = parts.length == 3 ? parts[2] : "rw";
        if (!mode.equals("ro") && !mode.equals("rw")) {
            throw wrong(name, text, "ends in '" + mode + "', which is neither ro nor rw");
        }
        return source(name, text, parts[0]) + ":" + parts[1] + (mode.equals("ro") ? ":ro" : "");
    }

    private static String source(String name, String text, String source) {
        try {
            return source.startsWith("/")
                    ? source
                    : WorkingDirectory.absolute(name, source).normalize().toString();
        } catch (InvalidPathException impossible) {
            throw wrong(name, text, "has a source that is no path: " + impossible.getReason());
        }
    }

    private static Failure wrong(String name, String text, String what) {
        return Failure.usage(name + ": '" + text + "' " + what + "; for example " + name + " " + EXAMPLE);
    }
}
