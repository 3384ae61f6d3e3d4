package dev.berth.server.page;

import dev.berth.server.code.Digests;
import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/** All files of the page, by the paths that they are asked for by. Immutable. */
public final class PageFiles {
    private static final String FOLDER = "page/";
    private static final String FIRST = "index.html";
    private static final String MAP_BEGINS = "<script type=\"importmap\">";
    private static final String MAP_ENDS = "</script>";

    private final Map<String, PageFile> files;
    private final PageFile first;
    private final String policy;

    private PageFiles(Map<String, byte[]> contents) {
        Map<String, PageFile> made = new TreeMap<>();
        contents.forEach((name, content) -> made.put("/" + name, new PageFile(name, content)));
        files = Map.copyOf(made);
        byte[] html = contents.getOrDefault(FIRST, new byte[0]);
        first = made.computeIfAbsent("/" + FIRST, _ -> new PageFile(FIRST, html));
        policy = policy(new String(html, StandardCharsets.UTF_8));
    }

    /** The page of these files, by their names; one is {@code index.html}. */
    static PageFiles of(Map<String, byte[]> contents) {
        return new PageFiles(contents);
    }

    /**
     * Reads the files that the build put beside this class; empty where it put none.
     *
     * @throws IOException where the jar cannot be read
     */
    public static Optional<PageFiles> read() throws IOException {
        URL html = PageFiles.class.getResource("/" + FOLDER + FIRST);
        if (html == null) {
            return Optional.empty();
        }
        return Optional.of(of(
                html.openConnection() instanceof JarURLConnection jar
                        ? ofJar(jar.getJarFile())
                        : ofFolder(folder(html))));
    }

    private static Map<String, byte[]> ofJar(JarFile jar) throws IOException {
        Map<String, byte[]> contents = new TreeMap<>();
        List<JarEntry> entries = jar.stream()
                .filter(entry -> entry.getName().startsWith(FOLDER) && !entry.isDirectory())
                .toList();
        for (JarEntry entry : entries) {
            try (InputStream in = jar.getInputStream(entry)) {
                contents.put(entry.getName().substring(FOLDER.length()), in.readAllBytes());
            }
        }
        return contents;
    }

    private static Path folder(URL html) throws IOException {
        try {
            return Path.of(html.toURI()).resolveSibling("");
        } catch (URISyntaxException e) {
            throw new IOException(e);
        }
    }

    private static Map<String, byte[]> ofFolder(Path folder) throws IOException {
        Map<String, byte[]> contents = new TreeMap<>();
        List<Path> found = new ArrayList<>();
        try (Stream<Path> all = Files.walk(folder)) {
            all.filter(Files::isRegularFile).forEach(found::add);
        }
        for (Path file : found) {
            contents.put(folder.relativize(file).toString(), Files.readAllBytes(file));
        }
        return contents;
    }

    /** The file at a path such as {@code /app.js}. */
    public Optional<PageFile> at(String path) {
        return Optional.ofNullable(files.get(path));
    }

    /** The one that shows all the others. */
    public PageFile first() {
        return first;
    }

    /** The {@code Content-Security-Policy}: nothing but what this server sends, and of scripts inside the page the import map alone. */
    public String policy() {
        return policy;
    }

    private static String policy(String html) {
        int begin = html.indexOf(MAP_BEGINS);
        int end = begin < 0 ? -1 : html.indexOf(MAP_ENDS, begin);
        String map = end < 0 ? "" : " 'sha256-" + sha256(html.substring(begin + MAP_BEGINS.length(), end)) + "'";
        return "default-src 'none'; script-src 'self'" + map + "; style-src 'self'; img-src 'self' blob: data:;"
                + " media-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'none';"
                + " frame-ancestors 'none'";
    }

    /** As browsers count it: over the text between the tags. */
    private static String sha256(String text) {
        byte[] digest = HexFormat.of().parseHex(Digests.of(text.getBytes(StandardCharsets.UTF_8)));
        return Base64.getEncoder().encodeToString(digest);
    }
}
