package dev.berth.server.config;

import java.nio.file.Path;

/** The origin of a value. */
public sealed interface Origin {
    /** For people: {@code /etc/berth/berth.yaml:12}, {@code BERTH_SERVER_PORT}, {@code --port}, {@code default}. */
    String label();

    /** The beginning of a sentence about a setting that has its value from here. */
    String about(String key);

    /** The rank of an origin: of two, the higher one counts. */
    default int rank() {
        return switch (this) {
            case BuiltIn _ -> 0;
            case Line _ -> 1;
            case Variable _ -> 2;
            case Flag _, Assignment _ -> 3;
        };
    }

    /** Nobody said anything. */
    record BuiltIn() implements Origin {
        @Override
        public String label() {
            return "default";
        }

        @Override
        public String about(String key) {
            return key;
        }
    }

    /** A line of a file, counted from 1. */
    record Line(Path file, int line) implements Origin {
        @Override
        public String label() {
            return file + ":" + line;
        }

        @Override
        public String about(String key) {
            return label() + ": " + key;
        }
    }

    /** An environment variable. */
    record Variable(String name) implements Origin {
        @Override
        public String label() {
            return name;
        }

        @Override
        public String about(String key) {
            return name;
        }
    }

    /** An option of the command line that stands for one setting. */
    record Flag(String name) implements Origin {
        @Override
        public String label() {
            return name;
        }

        @Override
        public String about(String key) {
            return name;
        }
    }

    /** The option {@code --set}, which names the setting. */
    record Assignment() implements Origin {
        @Override
        public String label() {
            return "--set";
        }

        @Override
        public String about(String key) {
            return "--set " + key;
        }
    }
}
