package dev.berth.server.config;

import java.util.List;

/** The configuration is wrong; the message has every problem, a line each. */
public final class ConfigurationException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient List<String> problems;

    ConfigurationException(int count, List<String> problems) {
        super(
                count == 1
                        ? problems.getFirst()
                        : "the configuration has " + count + " problems:\n" + String.join("\n", problems));
        this.problems = List.copyOf(problems);
    }

    public List<String> problems() {
        return problems;
    }
}
