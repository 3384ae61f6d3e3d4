package dev.berth.core.command;

import dev.berth.core.command.SentFiles.Kind;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Paths below a directory, cleaned of what says nothing. */
final class RelativePath {
    private RelativePath() {}

    /** The clean path of a word; null where it does not lead to something below the directory. */
    static @Nullable String of(String word) {
        if (word.startsWith("/")) {
            return null;
        }
        List<String> parts = new ArrayList<>();
        for (String part : word.split("/")) {
            if (part.equals("..") && parts.isEmpty()) {
                return null;
            }
            if (part.equals("..")) {
                parts.removeLast();
            } else if (!part.isEmpty() && !part.equals(".")) {
                parts.add(part);
            }
        }
        return parts.isEmpty() ? null : String.join("/", parts);
    }

    /** Whether a link stands in the way to it, so that nobody knows where it leads. */
    static boolean isBehindLink(String path, SentFiles files) {
        for (int at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
            if (files.kind(path.substring(0, at)) == Kind.LINK) {
                return true;
            }
        }
        return false;
    }
}
