package dev.berth.server.config;

import java.util.List;

/** Value that one source gives to one setting, not read yet. No text stands for no value where the setting takes one. */
record GivenValue(List<String> texts, Origin origin) {
    GivenValue {
        texts = List.copyOf(texts);
    }
}
