package dev.berth.server.gpu.nvidia;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The requirements of an image on the driver, by its own variables, held against the driver before a container is made.
 *
 * <p>The rules are those of the NVIDIA Container Toolkit ({@code NVIDIA_REQUIRE_*}: blanks mean or, commas and, several
 * variables and; internal/config/image/cuda_image.go) and, for images that only say their {@code CUDA_VERSION}, those of
 * minor version compatibility (docs.nvidia.com/deploy/cuda-compatibility). What cannot be judged here, as the
 * architecture of a GPU, is left to the toolkit and refuses nothing.
 */
public final class CudaRequirement {
    private static final String PREFIX = "NVIDIA_REQUIRE_";
    private static final String CUDA = "NVIDIA_REQUIRE_CUDA";

    /** Variable of other machines: the toolkit leaves it out, too. */
    private static final String JETPACK = "NVIDIA_REQUIRE_JETPACK";

    /** The words that the toolkit takes for true (Go, strconv.ParseBool). */
    private static final Pattern TRUE = Pattern.compile("1|t|T|true|TRUE|True");

    private static final Pattern CONSTRAINT =
            Pattern.compile("(?<what>cuda|driver|brand|arch)(?<how>>=|<=|!=|=|>|<)(?<than>[A-Za-z0-9.]{1,40})");

    private static final Pattern TOOLKIT = Pattern.compile("v?(?<version>(?<major>[0-9]{1,4})\\.[0-9]{1,4})(\\..*)?");

    private static final Pattern LEAST = Pattern.compile("cuda>=(?<version>[0-9.]{1,20})(?:[ ,].*)?");

    /** From which driver on a whole family of CUDA runs, whatever CUDA the driver was made for. */
    private static final Map<Integer, String> FAMILIES = Map.of(11, "450.80.02", 12, "525", 13, "580");

    /** True, false, or not to be judged here. */
    private enum Verdict {
        MET,
        UNMET,
        OPEN;

        Verdict and(Verdict other) {
            return this == UNMET || other == UNMET ? UNMET : this == OPEN ? OPEN : other;
        }

        Verdict or(Verdict other) {
            return this == MET || other == MET ? MET : this == OPEN ? OPEN : other;
        }

        static Verdict of(boolean met) {
            return met ? MET : UNMET;
        }
    }

    private final Map<String, String> environment;

    /**
     * Requirement of an image.
     *
     * @param environment the variables its container has
     */
    public CudaRequirement(Map<String, String> environment) {
        this.environment = new TreeMap<>(environment);
    }

    /** The reason why a container of an image cannot run on a driver; empty where it can, or nobody knows. */
    public Optional<String> refusal(String image, Driver driver) {
        if (TRUE.matcher(environment.getOrDefault("NVIDIA_DISABLE_REQUIRE", "")).matches()) {
            return Optional.empty();
        }
        for (Map.Entry<String, String> variable : environment.entrySet()) {
            String name = variable.getKey();
            if (name.startsWith(PREFIX)
                    && !name.startsWith(JETPACK)
                    && judge(variable.getValue(), driver) == Verdict.UNMET) {
                return Optional.of(sentence(image, needed(name, variable.getValue()), driver));
            }
        }
        return environment.getOrDefault(CUDA, "").isEmpty() ? toolkitRefusal(image, driver) : Optional.empty();
    }

    private static Verdict judge(String expression, Driver driver) {
        if (expression.isBlank()) {
            return Verdict.MET;
        }
        Verdict any = Verdict.UNMET;
        for (String alternative : expression.strip().split("\\s+")) {
            Verdict all = Verdict.MET;
            for (String constraint : alternative.split(",")) {
                all = all.and(constraint.isEmpty() ? Verdict.MET : judgeOne(constraint, driver));
            }
            any = any.or(all);
        }
        return any;
    }

    private static Verdict judgeOne(String text, Driver driver) {
        Matcher constraint = CONSTRAINT.matcher(text);
        if (!constraint.matches()) {
            return Verdict.OPEN;
        }
        String how = constraint.group("how");
        String than = constraint.group("than");
        return switch (constraint.group("what")) {
            case "cuda" -> version(driver.cuda(), how, than);
            case "driver" -> version(driver.version(), how, than);
            case "brand" -> brand(driver.brand(), how, than);
            default -> Verdict.OPEN;
        };
    }

    private static Verdict version(@Nullable String actual, String how, String than) {
        if (actual == null) {
            return Verdict.OPEN;
        }
        Optional<Integer> order = Versions.compare(actual, than);
        return order.isEmpty() ? Verdict.OPEN : Verdict.of(holds(order.get(), how));
    }

    private static boolean holds(int order, String how) {
        return switch (how) {
            case ">=" -> order >= 0;
            case "<=" -> order <= 0;
            case ">" -> order > 0;
            case "<" -> order < 0;
            case "!=" -> order != 0;
            default -> order == 0;
        };
    }

    private static Verdict brand(@Nullable String actual, String how, String than) {
        return actual == null
                ? Verdict.OPEN
                : switch (how) {
                    case "=" -> Verdict.of(actual.equalsIgnoreCase(than));
                    case "!=" -> Verdict.of(!actual.equalsIgnoreCase(than));
                    default -> Verdict.OPEN;
                };
    }

    private Optional<String> toolkitRefusal(String image, Driver driver) {
        Matcher toolkit = TOOLKIT.matcher(environment.getOrDefault("CUDA_VERSION", ""));
        String version = driver.version();
        String cuda = driver.cuda();
        if (!toolkit.matches() || version == null || cuda == null) {
            return Optional.empty();
        }
        String least = FAMILIES.get(Integer.parseInt(toolkit.group("major")));
        boolean runs = Versions.isAtLeast(cuda, toolkit.group("version"))
                || (least != null && Versions.isAtLeast(version, least));
        return runs ? Optional.empty() : Optional.of(sentence(image, "CUDA " + toolkit.group("version"), driver));
    }

    /** The first alternative is what a person looks for; the others are exceptions to it. */
    private static String needed(String name, String expression) {
        Matcher least = LEAST.matcher(expression.strip());
        return name.equals(CUDA) && least.matches()
                ? "CUDA >= " + least.group("version")
                : "'" + (expression.length() > 80 ? expression.substring(0, 80) + "..." : expression) + "' (its " + name
                        + ")";
    }

    private static String sentence(String image, String needed, Driver driver) {
        return "image " + image + " needs " + needed + ", the driver "
                + (driver.version() == null ? "" : driver.version() + " ")
                + (driver.cuda() == null ? "is not that" : "runs at most CUDA " + driver.cuda())
                + "; take an older image or update the driver (NVIDIA_DISABLE_REQUIRE=true runs it all the same)";
    }
}
