package dev.berth.server.config;

import java.util.List;

/** What one source says about one setting, not read yet. No text stands for no value where the setting takes one. */
record Given(List<String> texts, Origin origin) {
    Given {
        texts = List.copyOf(texts);
    }
}
