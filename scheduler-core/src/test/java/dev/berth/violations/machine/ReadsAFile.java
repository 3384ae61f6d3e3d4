package dev.berth.violations.machine;

import java.io.File;
import java.net.URI;
import java.nio.file.Path;
import java.sql.Types;

/** Touches the world. */
final class ReadsAFile {
    private ReadsAFile() {}

    static boolean io() {
        return new File("a").exists();
    }

    static Path nio() {
        return Path.of("a");
    }

    static URI net() {
        return URI.create("a:b");
    }

    static Class<?> sql() {
        return Types.class;
    }

    static void prints() {
        System.out.println("a");
    }
}
