package dev.berth.server.simulation;

import dev.berth.server.simulation.PlantedBug.Edit;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** Builds Berth with a bug in it, in memory, and plays it beside the one that is being tested. */
final class BugLab {
    private static final String OURS = "dev.berth.";
    private static final List<Path> SOURCES =
            List.of(Path.of("src/main/java"), Path.of("../scheduler-core/src/main/java"));

    private BugLab() {}

    /** What {@link SeedRun#firstViolation} says of Berth with this bug. */
    static String play(PlantedBug bug, int seeds, int steps) {
        try {
            return (String) new BuggyLoader(compile(bug))
                    .loadClass(SeedRun.class.getName())
                    .getMethod("firstViolation", long.class, int.class, int.class)
                    .invoke(null, bug.likelySeed(), seeds, steps);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(bug + ": " + e.getCause(), e);
        }
    }

    private static Map<String, byte[]> compile(PlantedBug bug) {
        Map<String, String> texts = new LinkedHashMap<>();
        for (Edit edit : bug.edits()) {
            texts.put(edit.type(), edit.in(texts.computeIfAbsent(edit.type(), BugLab::source)));
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter complaints = new StringWriter();
        try (Classes classes = new Classes(compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8))) {
            List<Text> files = texts.entrySet().stream()
                    .map(entry -> new Text(entry.getKey(), entry.getValue()))
                    .toList();
            List<String> options =
                    List.of("-proc:none", "-nowarn", "-parameters", "-cp", System.getProperty("java.class.path"));
            if (!compiler.getTask(complaints, classes, null, options, null, files)
                    .call()) {
                throw new IllegalStateException(bug + " does not compile: " + complaints);
            }
            return classes.bytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String source(String type) {
        String file = type.replace('.', '/') + ".java";
        try {
            Path found = SOURCES.stream()
                    .map(root -> root.resolve(file))
                    .filter(Files::exists)
                    .findFirst()
                    .orElseThrow(() -> new IllegalStateException("the list is stale: there is no " + file));
            return Files.readString(found);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static final class Text extends SimpleJavaFileObject {
        private final String text;

        Text(String type, String text) {
            super(URI.create("memory:///" + type.replace('.', '/') + ".java"), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public String getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    /** Keeps compiled classes in memory. */
    private static final class Classes extends ForwardingJavaFileManager<JavaFileManager> {
        private final Map<String, ByteArrayOutputStream> written = new HashMap<>();

        Classes(JavaFileManager files) {
            super(files);
        }

        @Override
        public JavaFileObject getJavaFileForOutput(
                Location location, String className, JavaFileObject.Kind kind, FileObject sibling) {
            return new SimpleJavaFileObject(URI.create("memory:///" + className.replace('.', '/') + ".class"), kind) {
                @Override
                public OutputStream openOutputStream() {
                    return written.computeIfAbsent(className, _ -> new ByteArrayOutputStream());
                }
            };
        }

        Map<String, byte[]> bytes() {
            Map<String, byte[]> bytes = new HashMap<>();
            written.forEach((name, out) -> bytes.put(name, out.toByteArray()));
            return bytes;
        }
    }

    /** Berth's own classes anew, the compiled ones instead of those of the same name; libraries as they are. */
    private static final class BuggyLoader extends ClassLoader {
        private final Map<String, byte[]> buggy;

        BuggyLoader(Map<String, byte[]> buggy) {
            super(BugLab.class.getClassLoader());
            this.buggy = buggy;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith(OURS)) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                return loaded == null ? define(name) : loaded;
            }
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            byte[] code = buggy.containsKey(name) ? buggy.get(name) : original(name);
            return defineClass(name, Objects.requireNonNull(code), 0, code.length);
        }

        private byte[] original(String name) throws ClassNotFoundException {
            try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
                if (in == null) {
                    throw new ClassNotFoundException(name);
                }
                return in.readAllBytes();
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }
}
