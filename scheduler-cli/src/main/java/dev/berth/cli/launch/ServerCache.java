package dev.berth.cli.launch;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/**
 * The cache of the classes that a server loads at its start, which the build makes by a rehearsal. A convenience of the
 * very JDK that made it: another one, and a distribution whose jars are others, do without, and say nothing.
 */
record ServerCache(Path javaHome, Path home) {
    private static final String FILE = "server.aot";

    /** Tells which JDK made it. */
    private static final String MADE_BY = "server.aot.jdk";

    private static final List<String> IDENTITY = List.of("IMPLEMENTOR", "JAVA_RUNTIME_VERSION", "JVM_VERSION");

    private Path lib(String name) {
        return home.resolve("lib").resolve(name);
    }

    /** The flags for a virtual machine that uses it; none where it is not of this JDK. */
    List<String> flags() {
        try {
            return Files.readString(lib(MADE_BY), StandardCharsets.UTF_8).equals(runtime())
                    // What the virtual machine says of a cache that it does not take is for nobody who starts a server.
                    ? List.of("-XX:AOTCache=" + lib(FILE), "-Xlog:disable", "-Xlog:all=error,aot*=off:stderr")
                    : List.of();
        } catch (IOException none) {
            return List.of();
        }
    }

    /** The flag for a virtual machine that makes it, at its end. */
    String making() {
        return "-XX:AOTCacheOutput=" + lib(FILE);
    }

    /** Lets it be used, now that it is made. */
    void made() throws IOException {
        // The server that made it makes files for its own user alone.
        Files.setPosixFilePermissions(lib(FILE), PosixFilePermissions.fromString("rw-r--r--"));
        Files.writeString(lib(MADE_BY), runtime(), StandardCharsets.UTF_8);
    }

    /** The JDK's exact version, by the file "release" that each has. */
    private String runtime() throws IOException {
        StringBuilder runtime = new StringBuilder();
        for (String line : Files.readAllLines(javaHome.resolve("release"), StandardCharsets.UTF_8)) {
            int equals = line.indexOf('=');
            if (equals > 0 && IDENTITY.contains(line.substring(0, equals))) {
                runtime.append(line, equals + 1, line.length()).append('/');
            }
        }
        return runtime.toString();
    }
}
