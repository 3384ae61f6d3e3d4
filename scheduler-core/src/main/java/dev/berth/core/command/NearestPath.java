package dev.berth.core.command;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The file that the user probably meant: one of the same name elsewhere, or one with nearly the same path. */
final class NearestPath {
    private NearestPath() {}

    static @Nullable String of(String path, Iterable<String> files) {
        String name = last(path);
        List<String> candidates = new ArrayList<>();
        for (String file : files) {
            if (last(file).equals(name)) {
                return file;
            }
            candidates.add(file);
        }
        return ClosestWord.of(path, candidates);
    }

    private static String last(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }
}
