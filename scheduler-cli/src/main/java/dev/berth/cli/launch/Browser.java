package dev.berth.cli.launch;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** The user's browser. */
public final class Browser {
    private Browser() {}

    /**
     * Shows an address; false where there is no browser here. It holds a secret, and the words of a program are read by
     * every user of the machine: the browser gets a file of this user's that leads there.
     */
    public static boolean open(Map<String, String> variables, String url) {
        String program = variables.getOrDefault("BROWSER", "");
        boolean hasDisplay = !variables.getOrDefault("DISPLAY", "").isEmpty()
                || !variables.getOrDefault("WAYLAND_DISPLAY", "").isEmpty();
        if (program.isEmpty() && !hasDisplay) {
            return false;
        }
        try {
            Path file = file(variables);
            Files.writeString(
                    file,
                    "<!doctype html><meta charset=\"utf-8\"><title>Berth</title>"
                            + "<meta http-equiv=\"refresh\" content=\"0; url=" + escaped(url) + "\">\n");
            Process _ = new ProcessBuilder(
                            program.isEmpty() ? "xdg-open" : program,
                            file.toUri().toString())
                    .redirectOutput(Redirect.DISCARD)
                    .redirectError(Redirect.DISCARD)
                    .start();
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Made with the rights of its owner alone. */
    private static Path file(Map<String, String> variables) throws IOException {
        String runtime = variables.getOrDefault("XDG_RUNTIME_DIR", "");
        return runtime.startsWith("/")
                ? Files.createTempFile(Path.of(runtime), "berth-open", ".html")
                : Files.createTempFile("berth-open", ".html");
    }

    private static String escaped(String url) {
        return url.replace("&", "&amp;").replace("\"", "&quot;").replace("<", "&lt;");
    }
}
