package dev.berth.server.doctor;

import dev.berth.server.gpu.nvidia.Versions;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * NVIDIA's container toolkit as it is installed.
 *
 * @param version empty where it is not there, or does not say
 * @param settings its {@code config.toml}, {@code section.name} to value as written there
 */
record Toolkit(Optional<String> version, Map<String, String> settings) {
    static final String CONFIG = "/etc/nvidia-container-runtime/config.toml";

    private static final Pattern VERSION =
            Pattern.compile("(?:version:?\\s+|cli-version:\\s*)v?(\\d+\\.\\d+(?:\\.\\d+)?)");
    private static final Pattern SECTION = Pattern.compile("\\s*\\[([A-Za-z0-9_.-]+)]\\s*(?:#.*)?");
    private static final Pattern SETTING =
            Pattern.compile("\\s*([A-Za-z0-9_-]+)\\s*=\\s*\"?([^\"#\\[]*?)\"?\\s*(?:#.*)?");

    /** From here on the runtime writes devices into the container's own specification (mode auto is jit-cdi). */
    private static final String JIT_CDI = "1.18";

    Toolkit {
        settings = Map.copyOf(settings);
    }

    static Toolkit of(Host host) {
        Optional<String> version = host.run("nvidia-ctk", "--version")
                .flatMap(Toolkit::version)
                .or(() -> host.run("nvidia-container-cli", "-V").flatMap(Toolkit::version));
        return new Toolkit(version, host.read(CONFIG).map(Toolkit::parse).orElse(Map.of()));
    }

    private static Optional<String> version(Host.Ran ran) {
        Matcher version = VERSION.matcher(ran.output());
        return ran.exit() == 0 && version.find() ? Optional.of(version.group(1)) : Optional.empty();
    }

    /** The plain settings of TOML; lists and the like are passed over. */
    static Map<String, String> parse(String toml) {
        Map<String, String> settings = new HashMap<>();
        String section = "";
        for (String line : toml.lines().toList()) {
            Matcher begins = SECTION.matcher(line);
            Matcher setting = SETTING.matcher(line);
            if (begins.matches()) {
                section = begins.group(1) + ".";
            } else if (setting.matches()) {
                settings.put(section + setting.group(1), setting.group(2));
            }
        }
        return settings;
    }

    /** The mode in which the runtime brings devices in; {@code auto} where nobody chose. */
    String mode() {
        return settings.getOrDefault("nvidia-container-runtime.mode", "auto");
    }

    /** Whether it heeds the variable of containers without privileges, as all jobs are. */
    boolean heedsVariable() {
        return !"false".equals(settings.get("accept-nvidia-visible-devices-envvar-when-unprivileged"));
    }

    boolean leavesCgroupsAlone() {
        return "true".equals(settings.get("nvidia-container-cli.no-cgroups"));
    }

    /** Whether devices come into the container's own specification, and not behind the engine's back. */
    boolean writesSpecification() {
        return !mode().equals("legacy") && (!mode().equals("auto") || isAtLeast(JIT_CDI));
    }

    /** Whether it is of that version or later; false where its version is not known. */
    boolean isAtLeast(String least) {
        return version.filter(it -> Versions.isAtLeast(it, least)).isPresent();
    }
}
