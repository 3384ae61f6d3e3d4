package dev.berth.core.command;

import org.jspecify.annotations.Nullable;

/** The files that a command finds in the directory in which it starts. */
public interface SentFiles {
    /** A kind of entry, as far as it matters to who would run it. */
    enum Kind {
        /** A regular file with a run bit. */
        PROGRAM,
        /** A regular file without one. */
        FILE,
        DIRECTORY,
        /** A link, which may lead anywhere. */
        LINK
    }

    /** The kind of an entry by its clean path below the directory; null for what is not there. */
    @Nullable
    Kind kind(String path);

    /** Whether there is such an entry, and it is not sent. */
    default boolean isLeftOut(String path) {
        return false;
    }

    /** The paths of regular files. */
    Iterable<String> names();
}
