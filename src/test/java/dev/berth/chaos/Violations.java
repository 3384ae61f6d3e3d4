package dev.berth.chaos;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** What was found against the laws. */
final class Violations {
    private final Map<ChaosLaw, List<String>> found = new EnumMap<>(ChaosLaw.class);

    void add(ChaosLaw law, String sentence) {
        found.computeIfAbsent(law, _ -> new ArrayList<>()).add(sentence);
    }

    /** Notes it where the condition does not hold. */
    void unless(boolean condition, ChaosLaw law, String sentence) {
        if (!condition) {
            add(law, sentence);
        }
    }

    int count(ChaosLaw law) {
        return found.getOrDefault(law, List.of()).size();
    }

    /** All sentences, each behind its law. */
    List<String> sentences() {
        List<String> all = new ArrayList<>();
        found.forEach((law, sentences) -> sentences.forEach(sentence -> all.add(law + ": " + sentence)));
        return all;
    }
}
