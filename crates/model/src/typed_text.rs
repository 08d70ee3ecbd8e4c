//! Enums whose variants each have one English sentence: what happened is data, and the words for it stand in one table.

/// Makes an enum from a table of names and texts.
///
/// Variants under `plain` have no data. Those under `with` name their members, all of them texts: first those that vary from
/// run to run (ids, times, what the agent wrote), then, after a semicolon, those that are the same in every run. A text may
/// name members of its own variant in braces; the compiler holds it to that.
macro_rules! typed_texts {
    (
        $(#[$attribute:meta])*
        pub enum $Enum:ident {
            plain { $($plain:ident $plain_text:literal)* }
            with { $($name:ident { $($varying:ident),* ; $($fixed:ident),* } $text:literal)* }
        }
    ) => {
        $(#[$attribute])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $Enum {
            $(#[doc = $plain_text] $plain,)*
            $(
                #[doc = $text]
                $name {
                    $(#[doc = concat!("`", stringify!($varying), "` of the text; varies from run to run.")] $varying: String,)*
                    $(#[doc = concat!("`", stringify!($fixed), "` of the text; the same in every run.")] $fixed: String,)*
                },
            )*
        }

        impl $Enum {
            /// The name of every variant, as reports write it.
            #[cfg(test)]
            pub fn names() -> Vec<String> {
                let names = [$(stringify!($plain),)* $(stringify!($name),)*];
                names.into_iter().map($crate::typed_text::kebab).collect()
            }

            /// Its name in reports, such as `wrong-error`: stable from release to release.
            pub fn name(&self) -> String {
                $crate::typed_text::kebab(match self {
                    $(Self::$plain => stringify!($plain),)*
                    $(Self::$name { .. } => stringify!($name),)*
                })
            }

            /// What of its data is the same in every run.
            pub fn fixed(&self) -> Vec<&str> {
                match self {
                    $(Self::$plain => Vec::new(),)*
                    $(Self::$name { $($fixed,)* .. } => vec![$($fixed.as_str()),*],)*
                }
            }

            /// All of its data by name: what [`Self::read`] takes.
            pub fn details(&self) -> std::collections::BTreeMap<&'static str, &str> {
                match self {
                    $(Self::$plain => std::collections::BTreeMap::new(),)*
                    $(Self::$name { $($varying,)* $($fixed,)* } => std::collections::BTreeMap::from([
                        $((stringify!($varying), $varying.as_str()),)*
                        $((stringify!($fixed), $fixed.as_str()),)*
                    ]),)*
                }
            }

            /// The one of this name with this data, as a report has them; nothing where there is none.
            pub fn read(name: &str, details: &std::collections::BTreeMap<String, String>) -> Option<Self> {
                $(if $crate::typed_text::kebab(stringify!($plain)) == name {
                    return Some(Self::$plain);
                })*
                $(if $crate::typed_text::kebab(stringify!($name)) == name {
                    return Some(Self::$name {
                        $($varying: details.get(stringify!($varying))?.clone(),)*
                        $($fixed: details.get(stringify!($fixed))?.clone(),)*
                    });
                })*
                None
            }

            /// Every text in it, to be masked or shortened.
            pub fn texts_mut(&mut self) -> Vec<&mut String> {
                match self {
                    $(Self::$plain => Vec::new(),)*
                    $(Self::$name { $($varying,)* $($fixed,)* } => vec![$($varying,)* $($fixed),*],)*
                }
            }
        }

        impl std::fmt::Display for $Enum {
            #[allow(unused_variables)]
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self {
                    $(Self::$plain => f.write_str($plain_text),)*
                    $(Self::$name { $($varying,)* $($fixed,)* } => write!(f, $text),)*
                }
            }
        }
    };
}

pub(crate) use typed_texts;

/// `WrongError` as `wrong-error`.
pub(crate) fn kebab(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    for (index, c) in name.char_indices() {
        if c.is_ascii_uppercase() && index > 0 {
            out.push('-');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    typed_texts! {
        pub enum Weather {
            plain { Sunny "the sun shines" }
            with { VeryWet { amount; place } "it rains {amount} in {place}" }
        }
    }

    #[test]
    fn a_variant_has_a_name_a_text_and_its_data() {
        let mut rain = Weather::VeryWet { amount: "2 mm".to_owned(), place: "Kiel".to_owned() };
        assert_eq!((rain.name().as_str(), rain.to_string().as_str()), ("very-wet", "it rains 2 mm in Kiel"));
        assert_eq!(rain.fixed(), ["Kiel"]);
        let details = |weather: &Weather| {
            weather.details().into_iter().map(|(name, text)| (name.to_owned(), text.to_owned())).collect()
        };
        for weather in [&rain, &Weather::Sunny] {
            assert_eq!(Weather::read(&weather.name(), &details(weather)).as_ref(), Some(weather));
        }
        assert_eq!(Weather::read("very-wet", &details(&Weather::Sunny)), None);
        assert_eq!(Weather::read("foggy", &details(&rain)), None);
        rain.texts_mut().into_iter().for_each(|text| *text = "***".to_owned());
        assert_eq!(rain.to_string(), "it rains *** in ***");
        assert_eq!((Weather::Sunny.to_string().as_str(), Weather::Sunny.fixed().len()), ("the sun shines", 0));
        assert_eq!(Weather::names(), ["sunny", "very-wet"]);
    }
}
