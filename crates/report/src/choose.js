"use strict";
// Shows one of the motions. Without scripts they are all there, one after the other.
{
  const select = document.querySelector(".choose select");
  const motions = [...document.querySelectorAll(".motion")];
  if (select) {
    const show = () => {
      motions.forEach((motion, i) => { motion.hidden = i !== select.selectedIndex; });
      dispatchEvent(new Event("resize"));
    };
    select.onchange = show;
    show();
  }
}
