package dev.berth.server.config;

import java.util.List;

/** What one source says about one setting, not read yet. No text stands for no value where the setting takes one. */
record GivenValue(List<String> texts, Origin origin) {
    GivenValue {
        texts = List.copyOf(texts);
    }
}
