//! Which instructions for products of bytes the CPU has.

/// The instructions that multiply bytes. Only detection makes one, so that it stands for a CPU that has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Int8(Int8Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Int8Kind {
    Portable,
    /// 256-bit VNNI in the encoding of CPUs without AVX-512.
    AvxVnni,
    /// The same in the encoding of AVX-512, to test the code of `AvxVnni` where that is missing.
    Vnni256,
    Vnni,
}

impl Int8 {
    /// The fastest that this CPU has, if it has any that is faster than f32.
    pub fn best() -> Option<Int8> {
        Int8::all().next().filter(|best| best.0 != Int8Kind::Portable)
    }

    /// All that work on this CPU, fastest first; the last is plain Rust, which all others agree with to the bit.
    pub fn all() -> impl Iterator<Item = Int8> {
        [Int8Kind::Vnni, Int8Kind::AvxVnni, Int8Kind::Vnni256, Int8Kind::Portable]
            .into_iter()
            .filter(|kind| kind.works())
            .map(Int8)
    }

    pub(crate) fn kind(self) -> Int8Kind {
        self.0
    }

    pub fn name(self) -> &'static str {
        match self.0 {
            Int8Kind::Portable => "portable",
            Int8Kind::AvxVnni => "AVX-VNNI",
            Int8Kind::Vnni256 => "AVX-512 VNNI at 256 bits",
            Int8Kind::Vnni => "AVX-512 VNNI",
        }
    }
}

impl Int8Kind {
    #[cfg(target_arch = "x86_64")]
    fn works(self) -> bool {
        use std::arch::is_x86_feature_detected as has;
        match self {
            Int8Kind::Portable => true,
            Int8Kind::AvxVnni => has!("avx2") && has!("fma") && has!("avxvnni"),
            Int8Kind::Vnni256 => has!("avx2") && has!("fma") && has!("avx512vl") && has!("avx512vnni"),
            Int8Kind::Vnni => has!("avx512f") && has!("avx512bw") && has!("avx512vl") && has!("avx512vnni"),
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn works(self) -> bool {
        self == Int8Kind::Portable
    }
}
